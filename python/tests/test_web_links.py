"""Links of the web page that live: addresses for others, the deal of the day, pages that open without a network."""

from __future__ import annotations

import json
import re
import struct
import threading
from pathlib import Path
from typing import Any

import pytest

import stier
from stier.cli.web import PAGE, PORT, serve
from stier.errors import FileError
from web import (
    DEAL,
    DESKTOP,
    HASTE,
    MARKS,
    PHONE,
    PICTURES,
    SMALL,
    ask,
    axe,
    hasty,
    open_view,
    wait_for_answer,
    wait_for_prompt,
)

pytestmark = MARKS

CLIPBOARD = ["clipboard-read", "clipboard-write"]
ENTRANCE = "schwimmen.html#play/schwimmen?seed=3&agent=network"


def set_date(page: Any, date: str) -> None:
    """Makes it noon of this date. The clock replaces the timers of the page, and so is replaced in turn."""
    page.clock.set_fixed_time(f"{date}T12:00:00Z")
    page.add_init_script(HASTE)


def test_links_last_because_the_port_is_fixed() -> None:
    with serve(0) as other:
        port = other.server_address[1]
        with pytest.raises(FileError, match=rf"port {port} cannot be used: .*, perhaps by another stier web; --port 0"):
            serve(port)
    assert stier.cli.web.web.params[0].default == PORT > 1024


def test_a_new_version_of_the_package_has_its_own_page(address: str) -> None:
    from urllib.request import urlopen

    asset = next((PAGE / "assets").iterdir()).name
    for place, kept in (("", "no-store"), ("networks/schwinget.safetensors", "no-store"), (f"assets/{asset}", None)):
        with urlopen(address + place) as answer:
            assert answer.headers["Cache-Control"] == kept


def test_every_view_has_a_title(page: Any, address: str) -> None:
    titles = {
        DEAL: "Schwinget · Stier",
        "#play/up_and_down?seed=7&agent=random": "Up & Down · Stier",
        "#review": "Review · Stier",
        "#trainer?seed=5": "Attack trainer · Stier",
        "#solutions/kuhn_poker?iterations=10": "Solutions · Kuhn poker · Stier",
    }
    for view, title in titles.items():
        open_view(page, address, view)
        page.wait_for_function("title => document.title === title", arg=title)
    # Also where the address changes without a new view.
    open_view(page, address, DEAL)
    choose = "(select) => { select.value = 'schwimmen'; select.dispatchEvent(new Event('change')); }"
    page.locator("select[name=game]").first.evaluate(choose)
    page.wait_for_function("() => document.title === 'Schwimmen · Stier'")


def test_previews_have_a_picture_of_each_game() -> None:
    names = {page.stem for page in PAGE.glob("*.html")}
    assert names == {"index", "schwinget", "up_and_down", "schweins_galopp", "schwimmen"}
    for name in names:
        html = (PAGE / f"{name}.html").read_text("utf-8")
        found = dict(re.findall(r'<meta property="og:([a-z:_]+)" content="([^"]*)">', html))
        assert {"title", "description", "image", "image:alt", "type"} <= set(found)
        picture = (PAGE / Path(found["image"]).name).read_bytes()
        assert struct.unpack(">II", picture[16:24]) == (1200, 630)
        assert (found["image:width"], found["image:height"]) == ("1200", "630")
        assert name == "index" or Path(found["image"]).stem == name
    manifest = json.loads((PAGE / "manifest.webmanifest").read_text("utf-8"))
    for icon in manifest["icons"]:
        assert (PAGE / icon["src"]).is_file()


def test_the_deal_of_the_day_is_the_same_for_everyone(browser: Any, address: str) -> None:
    hands = set()
    for zone in ("Europe/Zurich", "America/New_York"):
        context = hasty(browser, PHONE, timezone_id=zone, permissions=CLIPBOARD)
        page = context.new_page()
        set_date(page, "2026-11-27")
        page.goto(f"{address}#today")
        page.wait_for_selector("[data-move]")
        assert "seed=20261127" in page.url
        hands.add((page.url, page.inner_text("main")))
        context.close()
    assert len(hands) == 1


def test_the_result_of_the_day_is_a_text_to_paste(browser: Any, address: str) -> None:
    """On a desktop, and when the deal is played again, on a phone."""
    context = hasty(browser, bypass_csp=True, permissions=CLIPBOARD)
    page = context.new_page()
    set_date(page, "2026-11-28")

    def play(key: str, size: dict[str, int]) -> int:
        page.set_viewport_size(size)
        page.goto("about:blank")
        page.goto(f"{address}#today")
        page.wait_for_selector("[data-move]")
        assert (
            "Only your first result counts. The text to share says if you used Hint, Undo or Knowledge."
            in page.inner_text(".happened")
        )
        assert page.inner_text("main h2 .against").endswith("the club player (a trained network)")
        for _ in range(40):
            page.wait_for_selector("[data-move], .daily:not([hidden])")
            if page.locator(".daily:not([hidden])").count():
                break
            before = page.url
            page.keyboard.press(key if page.locator("[data-move]").count() > 1 else "1")
            page.wait_for_function("before => location.href !== before", arg=before)
        copy = page.get_by_role("button", name="Copy result")
        copy.wait_for()
        box = copy.bounding_box()
        assert 0 <= box["y"] <= box["y"] + box["height"] <= size["height"]
        moves = [int(move) for move in re.search(r"moves=([0-9.]+)", page.url)[1].split(".")]
        position = {"game": "schwinget", "rules": "", "seed": "20261128", "moves": []}
        while (seat := ask(page, "table", position, 0)["seat"]) is not None:
            move = moves.pop(0) if seat == 0 else ask(page, "decide", position, "network", "20261128")["id"]
            position["moves"].append(move)
        return int(ask(page, "table", position, 0)["returns"][0])

    def copied(size: dict[str, int]) -> str:
        page.get_by_role("button", name="Copy result").click()
        page.get_by_text("Copied", exact=True).wait_for()
        PICTURES.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=PICTURES / f"daily-{'phone' if size == PHONE else 'desktop'}.png", full_page=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"], size
        assert axe(page) == [], size
        return str(page.evaluate("navigator.clipboard.readText()"))

    own = play("1", DESKTOP)
    text = copied(DESKTOP)
    # The agent in the same seat, as in Python.
    game = stier.load_game("schwinget")
    state = game.new_initial_state(seed=20261128)
    position = {"game": "schwinget", "rules": "", "seed": "20261128", "moves": []}
    while not state.is_terminal():
        position["moves"].append(ask(page, "decide", position, "network", "20261128")["id"])
        state.apply_action(position["moves"][-1])
    agents = int(state.returns()[0])

    def words(value: int) -> str:
        return "drew" if value == 0 else f"{'won' if value > 0 else 'lost'} by {abs(value)}"

    assert text.splitlines() == [
        "Stier, deal of the day 2026-11-28",
        f"Schwinget: I {words(own)}. In my seat, the club player (a trained network) {words(agents)}.",
        # The address of this computer is of no use to others.
    ]
    # The first result counts, though the deal can be played again.
    again = play("2", PHONE)
    assert f"I {words(own)}." in page.inner_text(".result-text")
    assert page.get_by_text("Your first result counts.").count() == (again != own)
    assert copied(PHONE) == text
    # Another deal has no such text.
    page.keyboard.press("n")
    page.wait_for_function("() => document.querySelector('.daily').hidden")
    context.close()


def test_the_page_opens_without_a_network(browser: Any) -> None:
    # The browser takes any name below localhost for this machine, and the page not for its own server.
    with serve(0) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        address = f"http://stier.localhost:{server.server_address[1]}/"
        context = hasty(browser)
        page = context.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        open_view(page, address, DEAL)
        page.evaluate("navigator.serviceWorker.ready.then(() => null)")
        page.wait_for_function("() => navigator.serviceWorker.controller")
        # It can be installed as an app.
        session = context.new_cdp_session(page)
        assert session.send("Page.getAppManifest")["errors"] == []
        problems = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
        assert {one["errorId"] for one in problems} <= {"in-incognito"}
        server.shutdown()
        thread.join()
    # Nobody answers any more.
    for view in (
        DEAL,
        "#review",
        "#trainer?seed=5",
        "#solutions",
        ENTRANCE,
    ):
        open_view(page, address, view)
    page.wait_for_selector("[data-move]")
    before = page.url
    page.keyboard.press("1")
    page.wait_for_function("before => location.href !== before", arg=before)
    page.evaluate("stier.loadNetworks('up_and_down')")
    assert ask(page, "rules", "up_and_down", "")["agents"].count("network") == 1
    assert errors == []
    context.close()


def test_a_page_that_was_replaced_is_fetched_anew(browser: Any, tmp_path: Path) -> None:
    import shutil

    folder = tmp_path / "page"
    shutil.copytree(PAGE, folder)
    with serve(0, folder) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        address = f"http://stier.localhost:{server.server_address[1]}/"
        context = hasty(browser)
        page = context.new_page()
        open_view(page, address, DEAL)
        page.wait_for_function("() => navigator.serviceWorker.controller")
        cache = "caches.open('stier ' + new URL('./', location.href))"
        kept = f"async () => (await (await {cache}).keys()).map((one) => one.url).sort()"
        first = page.evaluate(kept)
        # A new build: the page is another one, and the list of the service worker tells so.
        index, service = folder / "index.html", folder / "service.js"
        index.write_text(index.read_text("utf-8").replace("Skip to the content", "Skip to the game"), "utf-8")
        service.write_text(re.sub(r'"\./":"[0-9a-f]+"', '"./":"another"', service.read_text("utf-8")), "utf-8")
        page.evaluate("navigator.serviceWorker.ready.then((one) => one.update())")
        wait_for_answer(page, f"async () => (await ({kept})()).some((url) => url.endsWith('?another'))")
        wait_for_answer(page, f"async () => (await ({kept})()).length === {len(first)}")
        open_view(page, address, DEAL)
        assert page.inner_text(".skip") == "Skip to the game"
        # Only the page itself was fetched anew.
        assert len(set(page.evaluate(kept)) - set(first)) == 1
        context.close()
        server.shutdown()
        thread.join()


def test_a_link_stays_if_its_game_is_stopped_on_the_way(page: Any, address: str) -> None:
    page.goto(address + "#play/schwinget?seed=7&agent=ismcts:iterations=3000000&seat=1&moves=2.3")
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("The link was stopped. Reload the page to open it").wait_for()
    assert "moves=2.3" in page.url


@pytest.mark.parametrize(
    ("link", "said", "ways", "reached"),
    [
        (
            "play/schwingt?seed=7&agent=random&seat=0&moves=3",
            "The link cannot be opened: there is no game “schwingt”. Here is another game.",
            ["Play Schwinget", "Close"],
            "play/schwinget?seed=7&agent=random&seat=0&moves=3",
        ),
        (
            "play/schwinget?seed=7&agent=greedi",
            "There is no opponent “greedi”.",
            ["Play against the beginner", "Play against the club player", "Close"],
            "play/schwinget?seed=7&agent=greedy&seat=0",
        ),
        (
            "play/schwinget?seed=7&agent=netwrok",
            "There is no opponent “netwrok”.",
            ["Play against the club player", "Close"],
            "play/schwinget?seed=7&agent=network&seat=0",
        ),
        (
            "play/schwinget?seed=7&agent=random&seat=1&moves=3.99",
            "The link cannot be opened: move 2 is not possible in this deal",
            ["Play this deal from its beginning", "Close"],
            "play/schwinget?seed=7&agent=random&seat=1",
        ),
        (
            "play/schwinget?seed=7&agent=random&seat=5",
            "The link cannot be opened: schwinget has no seat 5",
            ["Play this deal from its beginning", "Close"],
            "play/schwinget?seed=7&agent=random&seat=0",
        ),
        (
            "play/schwinget?seed=7&seat=1&agent=ismcts:iteratons=9",
            "The opponent “ismcts:iteratons=9” cannot play.",
            ["Play against the club player", "See why", "Close"],
            "play/schwinget?seed=7&agent=network&seat=1",
        ),
        (
            "play/schwinget?seed=7&rules=boots=3",
            "The link cannot be opened: schwinget has no option 'boots'",
            ["Close"],
            None,
        ),
        ("play/schwinget?moves=3", "The link cannot be opened: it has moves, and no seed", ["Close"], None),
        ("play/schwinget?sead=7", "This part of the link is unknown: sead=7.", ["Close"], None),
        ("lesson/1", "There is nothing at #lesson/1. Here is a new deal.", ["Close"], None),
        ("review?sead=7", "This part of the link is unknown: sead=7.", ["Close"], None),
    ],
)
def test_a_broken_link_says_why_over_the_page_and_offers_ways_on(
    new_page: Any, address: str, link: str, said: str, ways: list[str], reached: str | None
) -> None:
    page = new_page(SMALL)
    page.goto(f"{address}#{link}")
    notice = page.get_by_role("alert").filter(has_text=said)
    notice.wait_for()
    page.wait_for_selector("main :is(.prompt, h2):not(:empty)")
    assert notice.get_by_role("button").all_inner_texts() == ways
    assert axe(page) == []
    if link.startswith("play") and page.locator("[data-move]").count():
        # It moves nothing out of sight, and goes with the next choice.
        controls = page.locator(".main > .actions").bounding_box()
        assert controls["y"] + controls["height"] <= SMALL["height"]
        if len(ways) == 1:
            page.locator("[data-move]").first.click()
    if notice.count():
        notice.get_by_role("button").first.click()
    page.wait_for_selector(".notice", state="hidden")
    if reached is not None:
        page.wait_for_function("reached => location.hash === `#${reached}`", arg=reached)
        page.wait_for_selector("[data-move]")


def test_a_notice_stays_with_its_place(page: Any, address: str) -> None:
    page.goto(f"{address}#play/up_and_down?seed=5&moves=300")
    page.get_by_role("alert").filter(has_text="The link cannot be opened").wait_for()
    page.get_by_role("link", name="Review", exact=True).click()
    page.wait_for_selector(".notice", state="hidden")
    # Also if it was about to come.
    page.goto("about:blank")
    page.goto(f"{address}#play/up_and_down?seed=5&moves=300")
    page.evaluate("location.hash = '#review'")
    page.wait_for_selector("main h2:not(:empty)")
    page.wait_for_timeout(1500)
    assert page.locator(".notice").is_hidden()


def test_a_network_that_did_not_come_is_asked_for_again(browser: Any, address: str) -> None:
    context = hasty(browser)
    page = context.new_page()
    page.route("**/networks/*", lambda route: route.abort())
    # Seat 1 leads.
    page.goto(f"{address}#play/schwinget?seed=7&seat=1&agent=network")
    wait_for_prompt(page, "cannot move: /networks/schwinget.safetensors could not be loaded: is there a connection")
    page.unroute("**/networks/*")
    page.get_by_role("button", name="Try again").click()
    wait_for_prompt(page, "Your turn")
    context.close()


def test_an_entrance_opens_its_game_without_a_hash(page: Any, address: str) -> None:
    page.goto(f"{address}schwimmen.html")
    page.wait_for_function("() => location.hash.startsWith('#play/schwimmen?')")
    page.goto("about:blank")
    page.goto(f"{address}schwimmen.html#Play/Schwinget?seed=7")
    page.wait_for_function("() => location.hash.startsWith('#play/schwinget?seed=7')")


def test_the_deal_of_the_day_tells_of_all_help_here(page: Any, address: str) -> None:
    deal = "#play/schwinget?seed=20261128&agent=network&seat=0"
    helped = "localStorage.getItem('stier-daily-2026-11-28-help')"
    open_view(page, address, deal)
    assert page.evaluate(helped) is None
    page.keyboard.press("1")
    page.wait_for_function("() => location.hash.includes('moves=')")
    page.wait_for_selector("[data-move]")
    page.reload()
    page.wait_for_selector("[data-move]")
    assert page.evaluate(helped) is None
    page.go_back()
    page.wait_for_function("() => !location.hash.includes('moves=')")
    page.wait_for_selector("[data-move]")
    assert page.evaluate(helped) == "undo"
    page.locator(".knowledge summary").first.click()
    page.wait_for_function(f"() => {helped} === 'undo,knowledge'")


def test_a_link_near_the_end_is_nobodys_result(page: Any, address: str) -> None:
    deal = "#play/schwinget?seed=20261128&agent=network&seat=0"
    open_view(page, address, deal)
    while True:
        before = page.url
        page.keyboard.press("1")
        page.wait_for_function("before => location.href !== before", arg=before)
        page.locator("[data-move], .actions .primary").first.wait_for()
        if page.locator("[data-move]").count() == 0:
            break
    page.wait_for_selector(".daily:not([hidden])")
    kept = "Object.keys(localStorage).filter((key) => /daily-....-..-..$|scores/.test(key)).sort()"
    assert page.evaluate(kept) == ["stier-daily-2026-11-28", "stier-scores"]
    # Somebody else, with the link before the last choice.
    other = hasty(page.context.browser).new_page()
    open_view(other, address, "#" + before.split("#", 1)[1])
    other.keyboard.press("1")
    other.locator(".actions .primary").wait_for()
    assert other.evaluate(kept) == []
    other.context.close()


def test_the_keyboard_comes_back_to_the_hand(page: Any, address: str) -> None:
    open_view(page, address, "#play/schwinget?seed=7&agent=greedy&seat=0")
    page.keyboard.press("Tab")
    page.locator("[data-move]").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => location.hash.includes('moves=')")
    page.wait_for_selector("[data-move]")
    assert page.evaluate("document.activeElement.dataset.move !== undefined")


def test_a_newcomer_begins_with_the_beginner(page: Any, address: str) -> None:
    open_view(page, address, "#play")
    assert page.inner_text("main h2 .against") == "against the beginner"
    open_view(page, address, "#play/schwinget")
    assert page.inner_text("main h2 .against") == "against the club player"
    # A level stays what it is in another game.
    page.locator(".setup select[name=agent]").select_option("mmds:step=100,rollouts=450,particles=200")
    for game in ("up_and_down", "kuhn_poker", "schwinget"):
        page.locator(".setup select[name=game]").select_option(game)
        page.wait_for_function("game => location.hash.startsWith(`#play/${game}?`)", arg=game)
        page.wait_for_selector("[data-move]")
        assert page.inner_text("main h2 .against") == "against the expert", game


def test_the_page_of_this_machine_keeps_no_service_worker(page: Any, address: str) -> None:
    open_view(page, address, DEAL)
    page.evaluate("stier.loadNetworks('schwinget')")
    page.wait_for_timeout(500)
    assert page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)") == 0


#: Notes whether the page ever shows neither that it is loading nor a title.
BARE = """window.bare = false;
const look = () => {
  const main = document.querySelector("main");
  const isLoading = main?.querySelector(".loading")?.checkVisibility();
  if (main && !isLoading && !main.querySelector("h2:not(dialog *)")?.textContent) window.bare = true;
  requestAnimationFrame(look);
};
look();"""


def test_the_engine_arrives_with_its_progress(browser: Any, address: str) -> None:
    context = hasty(browser, PHONE, bypass_csp=True)
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.enable")

    def limit(bytes_per_second: int) -> None:
        rates = {"downloadThroughput": bytes_per_second, "uploadThroughput": bytes_per_second}
        session.send("Network.emulateNetworkConditions", {"offline": False, "latency": 0, **rates})

    limit(200_000)
    page.add_init_script(BARE)
    page.goto(address + DEAL)
    page.wait_for_function("() => document.querySelector('.loading progress')?.value > 0.1")
    assert page.title() == "Schwinget · Stier"
    assert axe(page) == []
    assert 0.1 < page.evaluate("document.querySelector('.loading progress').value") < 1
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / "loading-phone.png")
    limit(-1)
    page.wait_for_selector("[data-move]")
    assert not page.locator(".loading").is_visible()
    assert not page.evaluate("bare")
    # The engine was asked for once, before the script.
    entries = page.evaluate("performance.getEntriesByType('resource').map(({name, startTime}) => [name, startTime])")
    assert sum(name.endswith(".wasm") for name, _ in entries) == 1
    context.close()


def test_an_engine_that_is_missing_is_told(browser: Any, address: str) -> None:
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    page.route("**/*.wasm", lambda route: route.fulfill(status=404))
    page.goto(address + DEAL)
    page.get_by_text(re.compile(r"stier_web_bg-.*\.wasm could not be loaded: 404")).wait_for()
    # A server that does not know the type.
    page.unroute("**/*.wasm")
    body = next((PAGE / "assets").glob("*.wasm")).read_bytes()
    page.route("**/*.wasm", lambda route: route.fulfill(body=body, content_type="application/octet-stream"))
    open_view(page, address, DEAL)
    context.close()


def test_a_search_keeps_nothing_else_waiting(page: Any, address: str) -> None:
    open_view(page, address, "#solutions")
    position = {"game": "schwinget", "rules": "", "seed": "7", "moves": []}
    ask(page, "solve", "kuhn_poker", "", 10)
    found = page.evaluate(
        """async (position) => {
          const control = new AbortController();
          const endless = "ismcts:iterations=1000000000,memory_mb=1";
          const ended = stier.ask(control.signal, "decide", position, endless, "1").catch((error) => error.name);
          await stier.ask(undefined, "table", position, 0);
          const before = JSON.stringify(await stier.ask(undefined, "openings"));
          control.abort();
          const error = await ended;
          const move = await stier.ask(undefined, "decide", position, "greedy", "1");
          // The solution has survived the search that was ended with its worker.
          return [error, move.name, before, JSON.stringify(await stier.ask(undefined, "openings"))];
        }""",
        position,
    )
    state = stier.load_game("schwinget").new_initial_state(seed=7)
    assert found[0] == "AbortError"
    assert found[1] in {state.action_to_string(action) for action in state.legal_actions()}
    assert len(found[2]) > 20
    assert found[2] == found[3]
