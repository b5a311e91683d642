"""The end of each game of the web page on a phone: all fits, all cards are shown, no player is called by a seat."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

import stier
from web import LAYOUT, MARKS, SHIFTS, SMALL, ask, choose, open_view

pytestmark = MARKS

#: The layout, the numbers of seats in all that a person or a screen reader reads, and the unseen cards at the end.
SEEN = f"""() => {{
  const parts = [...document.querySelectorAll(".main *")];
  const labels = parts.flatMap((one) => [one.getAttribute("aria-label"), one.getAttribute("title")]);
  const left = [...document.querySelectorAll("[role=group][aria-label='Left over']")];
  const cards = left.flatMap((one) => [...one.querySelectorAll("[role=img]")]);
  const text = [document.querySelector(".main").textContent, ...labels].join(" | ");
  return {{
    ...({LAYOUT})(),
    seats: text.match(/\\bseats?\\b/gi),
    titles: parts.filter((one) => one.hasAttribute("title")).length,
    left: left.length,
    unseen: cards.filter((one) => one.checkVisibility()).length,
  }};
}}"""
#: Rules, and the number of unseen cards where it is always the same.
GAMES = {
    "schwinget": {"": None, "suits=3,values=4,counter=off,set_aside=3": 2},
    "up_and_down": {"": 0, "players=2": None, "players=3": None},
    "schweins_galopp": {"": 7, "players=2": 21, "players=4": None},
    "schwimmen": {"": None, "players=2": None, "players=4": None, "players=5": None},
    "dark_hex": {"": 0},
    "goofspiel": {"": 0},
    "kuhn_poker": {"": 1},
    "leduc_poker": {"": None},
    "liars_dice": {"": 0},
}
#: The games whose moves are large and whose tables do not jump, under their usual rules.
LARGE = ["schwinget", "up_and_down", "schweins_galopp", "schwimmen"]


def test_all_games_are_here(page: Any, address: str) -> None:
    open_view(page, address, "#play")
    assert {game["name"] for game in ask(page, "games")} == set(GAMES)


@pytest.mark.parametrize("game", GAMES)
def test_a_deal_fits_a_phone_until_its_end_which_shows_all_cards(new_page: Any, address: str, game: str) -> None:
    page = new_page(SMALL, has_touch=True, is_mobile=True)
    page.add_init_script(SHIFTS)
    for number, (rules, unseen) in enumerate(GAMES[game].items()):
        # The targets of fingers; some rules put more cards into a hand.
        is_large = game in LARGE and rules == ""
        deals = [(5, "greedy" if is_large else "random"), (8, "random")]
        # The usual rules are seen from both seats, the others from one each.
        for seed, agent in deals if rules == "" else [deals[number % 2]]:
            open_view(page, address, f"#play/{game}?rules={rules}&seed={seed}&agent={agent}&seat={seed % 2}")
            for move in range(200):
                seen = page.evaluate(SEEN)
                assert seen["cut"] == [], page.url
                assert seen["width"] == 360, page.url
                assert seen["titles"] == 0, page.url
                assert seen["seats"] is None, page.url
                if seen["moves"] == 0:
                    break
                assert seen["left"] == 0, page.url
                assert seen["lowest"] <= SMALL["height"], page.url
                assert seen["smallest"] >= (40 if is_large else 24), page.url
                choose(page, move * seed)
            assert not is_large or page.evaluate("shifted") <= 0.05, page.url
            assert seen["unseen"] == unseen if unseen is not None else seen["unseen"] > 0, page.url


def test_what_moves_mean_can_be_read_by_touch_and_by_keys(new_page: Any, address: str) -> None:
    page = new_page(SMALL, has_touch=True, is_mobile=True)
    open_view(page, address, "#play/kuhn_poker?seed=1&agent=random&seat=0")
    meaning = page.get_by_text("put one more chip into the pot").locator("visible=true")
    assert meaning.count() == 0
    ask_button = page.get_by_role("button", name="what these moves mean")
    ask_button.tap()
    meaning.wait_for()
    page.keyboard.press("Escape")
    assert meaning.count() == 0
    ask_button.focus()
    page.keyboard.press("Enter")
    meaning.wait_for()


#: The texts of a view with names of cards in the engine, such as "KR". Texts for programs may have them.
CODES = """(faces) => {
  const names = new Set(Object.keys(faces).filter((name) => name.length > 1));
  const texts = [];
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { textContent, parentElement } = walker.currentNode;
    if (!parentElement.closest(".knowledge-text, textarea, code, pre")) texts.push(textContent);
  }
  for (const one of document.querySelectorAll("[aria-label], [title]"))
    texts.push(one.getAttribute("aria-label") ?? "", one.getAttribute("title") ?? "");
  return texts.filter((text) => text.split(/[^A-Z0-9&]+/i).some((word) => names.has(word)));
}"""


@pytest.mark.parametrize("game", GAMES)
def test_a_card_is_never_called_by_its_code(page: Any, address: str, game: str) -> None:
    open_view(page, address, f"#play/{game}?seed=7&seat=0&agent=random")
    faces = ask(page, "rules", game, "")["faces"]
    page.locator(".knowledge summary").first.click()
    page.locator(".knowledge .bars, .knowledge .about").nth(1).wait_for()
    for _ in range(3):
        assert page.evaluate(CODES, faces) == []
        choose(page)
        if page.locator("[data-move]").count() == 0:
            break
    assert page.evaluate(CODES, faces) == []


@pytest.mark.parametrize(
    ("view", "there"),
    [
        ("#review?seat=1&record=RECORD", ".bars"),
        ("#trainer?seed=5", ".answers button"),
        (
            "#solutions/schwinget?rules=suits=2,values=3,hand_size=2,set_aside=2&iterations=20&at=1&hand=3",
            ".seen .table",
        ),
    ],
)
def test_neither_is_it_in_the_other_views(page: Any, address: str, view: str, there: str) -> None:
    record = stier.pit("schwinget", ["greedy", "random"], deals=1, seed=5).games[0].record()
    open_view(page, address, view.replace("RECORD", quote(record)))
    page.locator(there).first.wait_for(state="attached")
    faces = ask(page, "rules", "schwinget", "")["faces"]
    if "trainer" in view:
        page.locator(there).first.click()
        page.locator(".verdict").wait_for()
    page.locator("main details").evaluate_all("all => { for (const one of all) one.open = true; }")
    assert page.evaluate(CODES, faces) == []
