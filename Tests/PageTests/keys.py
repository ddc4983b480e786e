"""The page as the keyboard reaches it."""

from playwright.sync_api import Locator, Page

MOST_STEPS = 150

# What has the focus, how the order of the document goes, and where it stands on the screen.
_FOCUSED = """
() => {
    let element = document.activeElement;
    if (!element || element === document.body || element === document.documentElement) return null;
    const all = [...document.querySelectorAll("*")];
    const box = element.getBoundingClientRect();
    return {
        index: all.indexOf(element), tag: element.localName, id: element.id,
        name: element.getAttribute("aria-label") || element.innerText || element.id || element.localName,
        left: box.left + scrollX, top: box.top + scrollY, right: box.right + scrollX, bottom: box.bottom + scrollY,
        shows: element.matches(":focus-visible"),
    };
}
"""

# What Tab has to reach: of a group of radios the chosen one alone.
_REACHABLE = """
() => {
    const all = [...document.querySelectorAll("*")];
    const named = "a[href], button, input, select, textarea, summary, audio[controls], video[controls], [tabindex]";
    return all.filter(element => element.matches(named) && element.tabIndex >= 0 && !element.disabled
        && !element.closest("[inert]") && element.checkVisibility({visibilityProperty: true})
        && !(element.type === "radio" && !element.checked
            && document.querySelector(`input[name="${element.name}"]:checked`)))
        .map(element => ({index: all.indexOf(element),
            name: element.getAttribute("aria-label") || element.innerText || element.id || element.localName}));
}
"""


def focused(page: Page) -> dict | None:
    return page.evaluate(_FOCUSED)


def reachable(page: Page) -> list[dict]:
    return page.evaluate(_REACHABLE)


def has_focus(target: Locator) -> bool:
    return target.evaluate("element => element === document.activeElement || element.contains(document.activeElement)")


def tab_to(page: Page, target: Locator, key: str = "Tab"):
    """Presses Tab until the focus is there."""
    target.wait_for()
    for _ in range(MOST_STEPS):
        if has_focus(target):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{MOST_STEPS} times {key} don't lead to {target}")


def walk(page: Page) -> list[dict]:
    """Everything that Tab comes by from the beginning of the page on, once each."""
    # Where the next Tab begins from: the top, wherever the page had put the focus before.
    page.evaluate("() => { document.body.tabIndex = -1; document.body.focus(); }")
    steps: list[dict] = []
    for _ in range(MOST_STEPS):
        page.keyboard.press("Tab")
        step = focused(page)
        if step is None or any(step["index"] == other["index"] for other in steps[:-1]):
            return steps
        # The controls of a video are many, and one element.
        if not steps or steps[-1]["index"] != step["index"]:
            steps.append(step)
    raise AssertionError(f"Tab goes on beyond {MOST_STEPS} stops: {[step['name'] for step in steps]}")
