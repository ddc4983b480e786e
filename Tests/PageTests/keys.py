"""Keyboard navigation of the page."""

from playwright.sync_api import Locator, Page

MOST_STEPS = 150

# The focused element, its index in the document and its position on the screen.
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

# The elements that Tab must reach. In a group of radio buttons, that is only the selected one.
_REACHABLE = """
() => {
    const all = [...document.querySelectorAll("*")];
    const named = "a[href], button, input, select, textarea, summary, [tabindex]";
    return all.filter(element => element.matches(named) && element.tabIndex >= 0 && !element.disabled
        && !element.closest("[inert]") && element.checkVisibility({visibilityProperty: true})
        && !(element.type === "radio" && !element.checked
            && document.querySelector(`input[name="${element.name}"]:checked`)))
        .map(element => ({index: all.indexOf(element),
            name: element.getAttribute("aria-label") || element.innerText || element.id || element.localName}));
}
"""


def reachable(page: Page) -> list[dict]:
    return page.evaluate(_REACHABLE)


def tab_to(page: Page, target: Locator, key: str = "Tab"):
    """Presses Tab until the target has the focus."""
    target.wait_for()
    for _ in range(MOST_STEPS):
        if target.evaluate("element => element.contains(document.activeElement)"):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{target} doesn't have the focus after pressing {key} {MOST_STEPS} times")


def walk(page: Page) -> list[dict]:
    """Returns the elements that Tab reaches from the start of the page, without duplicates."""
    # The next Tab then starts at the top, regardless of the current focus.
    page.evaluate("() => { document.body.tabIndex = -1; document.body.focus(); }")
    steps: list[dict] = []
    for _ in range(MOST_STEPS):
        page.keyboard.press("Tab")
        step = page.evaluate(_FOCUSED)
        if step is None or any(step["index"] == other["index"] for other in steps[:-1]):
            return steps
        # The parts of a date share one element.
        if not steps or steps[-1]["index"] != step["index"]:
            steps.append(step)
    raise AssertionError(f"Tab reaches more than {MOST_STEPS} elements: {[step['name'] for step in steps]}")
