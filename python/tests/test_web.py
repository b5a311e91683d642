"""The web page as a whole in a real browser."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import quote

import pytest
from helpers import OWN_GAMES

import stier
from stier.cli.web import PAGE
from web import DEAL, DESKTOP, DROP, MARKS, PHONE, ROOT, ask, axe_in_both_schemes, hasty, open_view, wait_for_prompt

pytestmark = MARKS


def test_the_engine_gives_the_same_bits_as_natively(page: Any, address: str) -> None:
    open_view(page, address, DEAL)
    page.evaluate("stier.loadNetworks('schwinget')")
    found = ask(page, "checksums", 1000)
    assert len(found) > 100
    assert found == json.loads((ROOT / "python/web/checksums.json").read_text("utf-8"))


def test_seeds_and_links_give_the_same_deals_as_in_python(page: Any, address: str) -> None:
    open_view(page, address, DEAL)
    for name in OWN_GAMES:
        game = stier.load_game(name)
        state = game.new_initial_state(seed=11)
        moves = []
        for _ in range(3):
            if state.is_terminal():
                break
            moves.append(int(state.legal_actions()[-1]))
            state.apply_action(moves[-1])
        position = {"game": name, "rules": "", "seed": "11", "moves": moves}
        assert ask(page, "record", position) == state.record()
        for seat in range(game.num_players()):
            shown = ask(page, "table", position, seat)
            assert shown == json.loads(state._table(seat))
            assert shown["knowledge"] == state.information_state_string(seat)
            assert shown["scene"] == json.loads(json.dumps(state.scene(seat)))
            story = ask(page, "story", position, seat)
            own = sum(player == seat for player, _ in state.history())
            news = [*story["revealed"], *story["lines"][story["earlier"] :]]
            told = [(line["event"], line["likely"], line["forced"], line["follows"]) for line in news]
            assert told == [line[1:] for line in state._story(seat, own - 1 if own else None)]
    state = stier.load_game("schwinget").new_initial_state(seed=7)
    own = next(place for place in state.scene(0)["places"] if place["seat"] == 0)
    moves = {state.string_to_action(card) for card in own["groups"][0]["cards"] if card}
    page.goto(address + DEAL)
    shown = {int(button.get_attribute("data-move")) for button in page.query_selector_all("[data-move]")}
    assert shown == moves | {state.string_to_action("attack")}


def test_a_game_is_played_to_its_end_by_keyboard_and_found_again_by_its_link(page: Any, address: str) -> None:
    open_view(page, address, DEAL)
    for _ in range(40):
        if page.get_by_role("button", name="Rematch").count():
            break
        before = page.url
        page.keyboard.press("1")
        page.wait_for_function("before => location.href !== before", arg=before)
        page.wait_for_function(
            "() => document.querySelector('[data-move]') || document.body.innerText.includes('Rematch')"
        )
    assert page.get_by_role("button", name="Rematch").count() == 1
    link = page.url
    assert "moves=" in link
    ended = page.inner_text("main .prompt")
    # The last trick is still on the table, and all that each player took lies below.
    assert page.locator(".box .trick .card").count() == 2
    assert page.locator(".at-end .card").count() >= 10
    open_view_ended(page, address + link.split("/", 3)[3])
    assert page.inner_text("main .prompt") == ended
    page.keyboard.press("u")
    page.wait_for_selector("[data-move]")
    page.keyboard.press("n")
    page.wait_for_function("() => !location.hash.includes('moves=') && document.querySelector('[data-move]')")


def test_the_address_has_nothing_that_the_seat_cannot_know(page: Any, address: str) -> None:
    # Seat 0 has bid before seat 1 is asked.
    open_view(page, address, "#play/goofspiel?seed=1&seat=1&agent=random")
    assert "moves=" not in page.url
    page.keyboard.press("1")
    page.wait_for_function("() => location.hash.includes('moves=')")
    page.wait_for_selector("[data-move]")
    shown, link = page.inner_text(".box"), page.url
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector("[data-move]")
    assert page.inner_text(".box") == shown
    # A seat that is not a number does not open the cards, and an error about a move does not tell the mover's hand.
    for settings in ("seed=7&seat=abc&agent=random", "seed=7&seat=1&agent=random&from=0"):
        open_view(page, address, f"#play/schwinget?{settings}")
        page.get_by_role("alert").filter(has_text="The link cannot be opened").wait_for()
        assert page.locator(".place strong").all_inner_texts() == ["Opponent", "You"]
        assert "legal" not in page.inner_text("body")
    with pytest.raises(Exception, match="null"):
        ask(page, "table", {"game": "schwinget", "rules": "", "seed": "7", "moves": []}, None)


def open_view_ended(page: Any, link: str) -> None:
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_function("() => document.body.innerText.includes('Rematch')")


def test_words_of_the_game_are_explained_where_they_are_touched(page: Any, address: str) -> None:
    open_view(page, address, DEAL)
    page.locator(".box .own .word").get_by_text("referee", exact=True).click()
    assert page.locator(".meaning").get_by_text("a card that makes a trick neutral").is_visible()
    meaning = page.locator(".meaning").get_by_text("a suit that beats the other suits")
    assert not meaning.is_visible()
    page.locator(".box").get_by_role("button", name="trump").click()
    assert meaning.is_visible()


def test_the_engine_knows_which_agents_use_a_network(page: Any, address: str) -> None:
    open_view(page, address, "#solutions")
    assert {one["name"] for one in ask(page, "agents") if one["needs_network"]} == {"network", "mmds"}
    assert ask(page, "has_network", "ismcts:iterations=5,cutoff=4,evaluation=network")
    assert ask(page, "has_network", "ismcts_br:against=network")
    assert not ask(page, "has_network", "best:time_ms=10")
    assert not ask(page, "has_network", "no agent")


def test_knowledge_is_exact_and_hides_nothing(page: Any, address: str) -> None:
    open_view(page, address, DEAL)
    # Nothing is told before it is asked for.
    assert not page.get_by_role("heading", name="What you can believe", exact=True).is_visible()
    page.locator(".knowledge summary").first.click()
    page.get_by_text("What the opponent may believe about your cards").wait_for(timeout=60_000)
    page.get_by_text("30 of 30 searches").wait_for(timeout=60_000)
    position = {"game": "schwinget", "rules": "", "seed": "7", "moves": []}
    state = stier.load_game("schwinget").new_initial_state(seed=7)
    beliefs = stier.load_agent("random", state.get_game()).beliefs(state, 0)
    found = ask(page, "beliefs", position, 0)
    assert found["expected"] == beliefs.expected.reshape(-1).tolist()
    # In every deal that the seat takes for possible, the page says the same.
    ask(page, "analyse", position, "ismcts:iterations=100")
    analysis = ask(page, "search")
    known = ask(page, "known", position, 0, 1, 20)
    for seed in range(3):
        other = state.resample_from_infostate(0, seed)
        twin = {"game": "schwinget", "rules": "", "seed": "1", "moves": [], "record": other.record()}
        assert ask(page, "beliefs", twin, 0) == found
        assert ask(page, "known", twin, 0, 1, 20) == known
        ask(page, "analyse", twin, "ismcts:iterations=100")
        assert ask(page, "search") == analysis


def test_records_that_cannot_be_read_say_why(page: Any, address: str) -> None:
    open_view(page, address, "#review")
    page.fill("textarea[name=record]", "stier-record 1\ngame: bridge\nrules:\nevents:\nresult: open\n")
    page.get_by_text("unknown game 'bridge'").wait_for()


#: A search that does not end by itself.
ENDLESS = "ismcts:iterations=1000000000,memory_mb=1"
#: Notes the questions of the page to the engine, by name, also after a reload.
LISTENING = """
  let engine;
  window.asked = [];
  Object.defineProperty(window, "stier", { get: () => engine, set(value) {
    engine = value;
    const ask = engine.ask;
    engine.ask = function (signal, method, ...rest) {
      window.asked.push(method);
      return ask.call(this, signal, method, ...rest);
    };
  } });
"""


def with_memory(wasm: bytes, pages: int) -> bytes:
    """A module whose memory may grow by so many pages of 64 KiB."""

    def number(value: int) -> bytes:
        low, high = value & 0x7F, value >> 7
        return bytes([low | 0x80]) + number(high) if high else bytes([low])

    def read(at: int) -> tuple[int, int]:
        value, shift = 0, 0
        while True:
            value |= (wasm[at] & 0x7F) << shift
            at, shift = at + 1, shift + 7
            if wasm[at - 1] < 0x80:
                return value, at

    at = 8
    while True:
        kind, begin = wasm[at], at
        size, at = read(at + 1)
        if kind == 5:
            break
        at += size
    assert wasm[at : at + 2] == b"\1\0", "one memory without a limit"
    least, _ = read(at + 2)
    section = b"\1\1" + number(least) + number(least + pages)
    return wasm[:begin] + b"\5" + number(len(section)) + section + wasm[at + size :]


def test_an_engine_that_runs_out_of_memory_is_replaced(page: Any, address: str) -> None:
    module = with_memory(next((PAGE / "assets").glob("*.wasm")).read_bytes(), 160)
    page.route("**/*.wasm", lambda route: route.fulfill(body=module, content_type="application/wasm"))
    greedy_for_memory = "ismcts:iterations=100000000,memory_mb=1024"
    page.goto(f"{address}#play/schwinget?seed=7&seat=1&agent={greedy_for_memory}")
    wait_for_prompt(page, "cannot move: the engine ran out of memory, with 0.0 of at most 4 GiB in use")
    assert "unreachable" not in page.inner_text("body")
    # The game goes on, and so do the other views.
    page.locator(".setup select[name=agent]").select_option("random")
    wait_for_prompt(page, "Your turn")
    page.get_by_role("link", name="Solutions", exact=True).click()
    page.get_by_label("Game").select_option(index=0)
    page.get_by_role("button", name="Solve").click()
    page.wait_for_selector(".grid")
    # The most that an agent may ask for.
    with pytest.raises(Exception, match="memory_mb must be at most 1024 in a web page, got 1048576"):
        ask(page, "check", {"game": "schwinget", "rules": "", "seed": "7", "moves": []}, "ismcts:memory_mb=1048576")


def test_every_search_and_solution_can_be_stopped(page: Any, address: str) -> None:
    stop = page.locator(".running:not([hidden])")
    page.goto(f"{address}#play/schwinget?seed=7&seat=1&agent={ENDLESS}")
    wait_for_prompt(page, "The opponent is thinking")
    stop.get_by_text(re.compile(r"[1-9] s$")).wait_for()
    stop.get_by_role("button", name="Stop").click()
    wait_for_prompt(page, "The opponent was stopped")
    assert stop.count() == 0
    page.get_by_role("button", name="Go on").click()
    wait_for_prompt(page, "The opponent is thinking")
    stop.get_by_role("button", name="Stop").click()
    wait_for_prompt(page, "The opponent was stopped")
    page.locator(".setup select[name=agent]").select_option("random")
    wait_for_prompt(page, "Your turn")
    # The person's own search, where there is a choice.
    open_view(page, address, "#play/schwinget?seed=7&seat=0&agent=random")
    wait_for_prompt(page, "Your turn")
    page.locator(".knowledge summary").first.click()
    page.locator(".knowledge select[name=agent]").select_option("")
    page.locator(".knowledge input[name=spec]").fill(ENDLESS)
    page.keyboard.press("Tab")
    page.locator(".knowledge .running:not([hidden])").get_by_role("button", name="Stop").click()
    page.wait_for_selector(".knowledge .running", state="hidden")
    # A link whose game must be played again.
    page.goto("about:blank")
    page.goto(f"{address}#play/schwinget?seed=8&seat=1&agent={ENDLESS}&moves=1")
    stop.get_by_role("button", name="Stop").click()
    wait_for_prompt(page, "The link was stopped. Reload the page to open it, or take a new deal.")
    assert "moves=1" in page.url
    open_view(page, address, "#review")
    page.fill("textarea[name=record]", stier.pit("schwinget", ["greedy", "random"], deals=1, seed=5).games[0].record())
    page.locator("select[name=agent]").select_option("")
    page.locator("input[name=spec]").fill(ENDLESS)
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Review", exact=True).click()
    stop.get_by_role("button", name="Stop").click()
    page.get_by_text(re.compile(r"^0 of your \d+ decisions are reviewed")).wait_for()
    open_view(page, address, "#solutions/schwinget?rules=suits=2,values=5,referee=off,hand_size=2,set_aside=3")
    stop.get_by_role("button", name="Stop").click()
    page.get_by_text(re.compile(r"^Stopped(\.| after)")).wait_for()
    assert ask(page, "games")


def test_back_forward_and_reload_do_not_decide_again(new_page: Any, address: str) -> None:
    page = new_page()
    page.add_init_script(LISTENING)
    open_view(page, address, "#play/schwinget?seed=7&agent=ismcts:iterations=300&seat=0")
    tables = []
    for choices in range(4):
        page.wait_for_function(
            "count => (location.hash.match(/moves=([0-9.]+)/)?.[1].split('.').length ?? 0) === count", arg=choices
        )
        page.wait_for_selector("[data-move]")
        tables.append((page.url, page.inner_text(".box")))
        page.keyboard.press("1")
    page.wait_for_function("() => location.hash.split('.').length === 4")
    page.wait_for_selector("[data-move]")
    assert page.evaluate("asked").count("decide") >= 4
    page.evaluate("() => { asked.length = 0 }")

    def shows(url: str, table: str) -> None:
        page.wait_for_url(url)
        page.wait_for_function("table => document.querySelector('.box')?.innerText === table", arg=table)
        page.wait_for_selector("[data-move]")

    for known in reversed(tables):
        page.go_back()
        shows(*known)
    for known in tables[1:]:
        page.go_forward()
        shows(*known)
    page.reload()
    shows(*tables[-1])
    assert page.evaluate("asked").count("decide") == 0


def test_blocked_storage_and_clipboard_take_nothing_else_away(page: Any, address: str) -> None:
    page.add_init_script(
        """for (const name of ["localStorage", "sessionStorage"]) {
          Object.defineProperty(window, name, { get() { throw new DOMException("denied", "SecurityError"); } });
        }
        Object.defineProperty(navigator, "clipboard", { value: undefined });"""
    )
    open_view(page, address, DEAL)
    page.keyboard.press("1")
    page.wait_for_function("() => location.hash.includes('moves=')")
    page.wait_for_selector("[data-move]")
    page.get_by_role("button", name="Copy link").click()
    page.get_by_text("The link cannot be copied here").wait_for()
    page.get_by_role("button", name="Review this game").click()
    page.wait_for_selector(".timeline")
    open_view(page, address, "#trainer?seed=5")
    page.get_by_role("button", name="Attack").click()
    page.get_by_text(re.compile(r"^(Right|Wrong|Too close to call)")).wait_for()
    open_view(page, address, "#solutions")


def test_a_dropped_file_never_replaces_the_page(page: Any, address: str) -> None:
    for view in (DEAL, "#review", "#trainer?seed=5", "#solutions"):
        open_view(page, address, view)
        for selector in ("body", "header", "main h2"):
            assert page.evaluate(DROP, [selector, 10, "no record"]) is False, (view, selector)
            # Nor does a link.
            assert page.evaluate(DROP, [selector, 0, None]) is False, (view, selector)
    open_view(page, address, "#review")
    for text, words in (("no record", "is not a record: its first line"), ("stier-record 1\n", "it has 30.0 MB")):
        page.evaluate(DROP, ["header", 30_000_000, text])
        page.get_by_text(f"dropped.txt is not a record: {words.split(': ')[-1]}").wait_for(timeout=1000)
        assert page.input_value("textarea[name=record]") == ""
    assert page.evaluate(DROP, ["textarea", 0, None]) is True
    record = stier.pit("schwinget", ["greedy", "random"], deals=1, seed=5).games[0].record()
    page.evaluate(DROP, ["main h2", 0, record])
    page.wait_for_function("() => document.querySelector('select[name=player]').options.length === 2")


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ("#solutions/kuhn_poker?iterations=99999999", "iterations must be a whole number from 1 to 10000"),
        ("#solutions/kuhn_poker?iterations=abc", "iterations must be a whole number from 1 to 10000"),
        ("#solutions/kuhn_poker?iterations=-1", "iterations must be a whole number from 1 to 10000"),
        ("#play/schwimmen?seed=1&moves=300", "moves must be numbers of actions from 0 to 255"),
        ("#play/schwimmen?seed=1&seat=-1", "seat must be a whole number from 0 to 255"),
        ("#play/schwimmen?seed=1&seat=1e9", "seat must be a whole number from 0 to 255"),
        ("#play/schwimmen?seed=1&seat=7", "seat"),
        ("#play/schwimmen?seed=1e300", "seed must be a whole number"),
        ("#play/schwimmen?seed=1&rules=players=99", "players"),
        ("#trainer?seed=1e300", "seed must be a whole number from 0 to 4294967295"),
        ("#review?seat=-1&record=RECORD", "seat must be a whole number from 0 to 1"),
    ],
)
def test_numbers_in_links_are_bounded_in_words(page: Any, address: str, link: str, words: str) -> None:
    record = stier.pit("schwinget", ["greedy", "random"], deals=1, seed=5).games[0].record()
    open_view(page, address, link.replace("RECORD", quote(record)))
    page.wait_for_function("words => document.body.innerText.includes(words)", arg=words)
    assert "invalid value" not in page.inner_text("main")
    if link.startswith("#play"):
        # The game that was wanted.
        assert page.input_value("select[name=game]") == "schwimmen"
    if link.startswith("#review"):
        assert page.input_value("select[name=player]") == "0"


def test_progress_is_told_at_most_ten_times_a_second(page: Any, address: str) -> None:
    open_view(page, address, "#solutions")
    told, seconds = page.evaluate(
        """async () => {
          let told = 0;
          stier.onProgress = () => told++;
          const begun = performance.now();
          await stier.ask(undefined, "solve", "leduc_poker", "", 1000);
          return [told, (performance.now() - begun) / 1000];
        }"""
    )
    # The beginning of each part is always told.
    assert 1 < told <= 3 + 10 * seconds


def test_nothing_is_requested_once_the_page_is_loaded(browser: Any, address: str) -> None:
    context = hasty(browser)
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    open_view(page, address, DEAL)
    page.evaluate("stier.loadNetworks('schwinget')")
    assert all(url.startswith((address, "about:", "blob:")) for url in asked), asked
    asked.clear()
    context.set_offline(True)
    page.keyboard.press("1")
    page.wait_for_function("() => location.hash.includes('moves=')")
    for tab in ["Review", "Attack trainer", "Solutions", "Play"]:
        page.get_by_role("link", name=tab, exact=True).click()
        page.wait_for_selector("main h2")
    page.wait_for_selector("[data-move]")
    assert [url for url in asked if not url.startswith("blob:")] == []
    context.close()


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_every_view_is_accessible_and_fits_the_screen(new_page: Any, address: str, size: dict[str, int]) -> None:
    page = new_page(size)
    device = "phone" if size == PHONE else "desktop"
    for name, view in {
        "play": DEAL,
        "review": "#review",
        "trainer": "#trainer?seed=5",
        "solutions": "#solutions",
    }.items():
        open_view(page, address, view)
        if name == "play" and device == "desktop":
            page.locator(".knowledge summary").first.click()
            page.get_by_text("5 of 30 searches").or_(page.get_by_text("30 of 30 searches")).first.wait_for()
        if name == "review":
            record = stier.pit("schwinget", ["greedy", "random"], deals=1, seed=5).games[0].record()
            page.fill("textarea[name=record]", record)
            page.get_by_label("Judge").first.select_option(index=1)
            page.get_by_role("button", name="Review", exact=True).click()
            page.get_by_text(re.compile(r"^All \d+ of your decisions are reviewed")).wait_for(timeout=120_000)
            for details in page.query_selector_all(".reviewed details"):
                details.evaluate("details => details.open = true")
        if name == "trainer":
            attack = page.get_by_role("button", name="Attack")
            attack.wait_for()
            assert attack.bounding_box()["y"] + attack.bounding_box()["height"] < size["height"]
            page.keyboard.press("a")
        if name == "solutions":
            page.get_by_role("button", name="Solve").click()
            page.wait_for_selector(".grid")
            page.locator(".grid button").first.click()
            page.wait_for_selector(".seen .table")
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"], name
        assert axe_in_both_schemes(page, f"{name}-{device}") == [], name


def test_all_games_are_accessible(page: Any, address: str) -> None:
    for name in OWN_GAMES:
        open_view(page, address, f"#play/{name}?seed=7&agent=random&seat=0")
        assert axe_in_both_schemes(page) == [], name


def test_the_widget_draws_a_replay(page: Any, address: str) -> None:
    pytest.importorskip("anywidget")
    from stier import widget

    table = widget.play("schwinget", "greedy", seed=7)
    traits = {name: getattr(table, name) for name in ("frames", "faces", "index", "eyes", "playable")}
    page.goto(address)
    page.evaluate(
        """async (traits) => {
          const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "widget.css" });
          const loaded = new Promise((resolve) => style.onload = resolve);
          const el = document.createElement("div");
          document.head.append(style);
          document.body.replaceChildren(el);
          window.sent = [];
          const model = {
            get: (name) => traits[name], set: (name, value) => traits[name] = value,
            save_changes() {}, on() {}, off() {},
            send: (message) => window.sent.push(message),
          };
          (await import("/widget.js")).default.render({ model, el });
          await loaded;
        }""",
        traits,
    )
    card = page.locator(".card").last.bounding_box()
    assert 30 < card["width"] < 100
    # The digits are not keys in a notebook.
    assert page.locator("[data-digit]").count() == 0
    page.locator("[data-move]").first.click()
    # Nothing can be chosen before the answer.
    page.locator("[data-move]").last.click()
    assert page.evaluate("window.sent") == [{"move": traits["frames"][-1]["legal"][0]["id"]}]


def test_the_server_is_for_this_machine_and_serves_the_page(address: str) -> None:
    from urllib.request import urlopen

    assert address.startswith("http://127.0.0.1:")
    with urlopen(address) as answer:
        assert b"Stier" in answer.read()
    wasm = next((PAGE / "assets").glob("*.wasm"))
    with urlopen(f"{address}assets/{wasm.name}") as answer:
        assert answer.headers["Content-Type"] == "application/wasm"
    for name in OWN_GAMES:
        network = stier.load_game(name).network()
        if network is not None:
            with urlopen(f"{address}networks/{name}.safetensors") as answer:
                assert answer.read() == network
