"""Figures of the page with 5,000 items in the library, from the browser's own trace: the time until it can be used, the
frames of a scroll, and the memory. They are measured, not tested: run `make check-page ARGS=library_figures` on an idle
machine."""

import json
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

from page_case import PageCase

ITEMS = 5_000
COVERS = 500
#: The time for which the list is scrolled, in seconds.
SCROLL_SECONDS = 5
#: Records when the first card was drawn, and the tasks that occupied the page for more than 50 ms.
OBSERVER = """
window.figures = { drawn: null, tasks: [] };
new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) figures.tasks.push([startTime, startTime + duration]);
}).observe({ type: "longtask", buffered: true });
const look = () => {
    if (document.querySelector(".grid > li h2")?.textContent) figures.drawn = performance.now();
    else requestAnimationFrame(look);
};
addEventListener("DOMContentLoaded", look);
"""
SCROLL = """
async (seconds) => {
    const times = [];
    const began = performance.now();
    await new Promise((resolve) => {
        const step = (now) => {
            times.push(now);
            scrollBy(0, 40);
            if (now - began > seconds * 1000) resolve();
            else requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
    });
    return times.slice(1).map((time, index) => time - times[index]);
}
"""


class LibraryFigures(PageCase):
    def test_figures(self):
        self.fill()
        context = self.context()
        context.add_init_script(OBSERVER)
        page = context.new_page()
        self.go(page, "", with_key=True)
        self.eventually(page, "all items are listed", lambda: page.locator(".grid > li").count() == ITEMS)
        # The second visit is that of a user: the key is stored, and the page's files are cached.
        trace = Path(self.folder) / "trace.json"
        self.browser.start_tracing(page=page, path=trace, categories=["devtools.timeline", "benchmark", "cc"])
        page.reload()
        self.eventually(page, "all items are listed", lambda: page.locator(".grid > li").count() == ITEMS)
        page.wait_for_timeout(2000)
        figures = page.evaluate("figures")
        pauses = page.evaluate(SCROLL, SCROLL_SECONDS)
        self.browser.stop_tracing()
        usable = max([figures["drawn"], *(end for begin, end in figures["tasks"] if begin < figures["drawn"] + 50)])
        print(f"\n{ITEMS} items, {COVERS} covers:")
        print(f"  first card drawn after {figures['drawn']:.0f} ms; usable after {usable:.0f} ms; tasks of more than 50 ms: "
              + (", ".join(f"{begin:.0f}–{end:.0f}" for begin, end in figures["tasks"]) or "none"))
        pauses.sort()
        late = sum(pause > 25 for pause in pauses)
        print(f"  scroll: {len(pauses)} frames in {SCROLL_SECONDS} s, median {pauses[len(pauses) // 2]:.1f} ms, longest "
              f"{pauses[-1]:.0f} ms, {late} later than 25 ms; the trace has {self.dropped(trace)} dropped frames")
        session = context.new_cdp_session(page)
        session.send("HeapProfiler.collectGarbage")
        session.send("Performance.enable")
        metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
        print(f"  memory: {metrics['JSHeapUsedSize'] / 1e6:.0f} MB of JavaScript, {metrics['Nodes']:.0f} nodes; "
              f"{self.resident() / 1e6:.0f} MB resident in the page's process, without shared memory")

    def dropped(self, trace: Path) -> int:
        events = json.loads(trace.read_text())["traceEvents"]
        return sum(event["name"] == "DroppedFrame" for event in events)

    def resident(self) -> int:
        """Returns the private memory of the largest process that shows a page, in bytes."""
        processes = self.browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
        sizes = []
        for process in processes:
            if process["type"] != "renderer":
                continue
            lines = Path(f"/proc/{process['id']}/smaps_rollup").read_text().splitlines()
            sizes.append(sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Private_")))
        return max(sizes)

    def fill(self):
        """Plays the beginnings of files, and adds the files to the library, with titles and some covers."""
        picture = self.origin_picture()

        def add(number: int):
            url = self.origin.url(f"clip.mp4?{number}")
            played = urllib.request.Request(self.server.api("GET", f"urls?url={quote(url, safe='')}")["playURL"])
            played.add_header("Range", "bytes=0-2047")
            with urllib.request.urlopen(played, timeout=30) as response:
                response.read()
            record = self.server.api("POST", "assets", {"url": url})
            self.server.api("PATCH", f"assets/{record['id']}", {"title": f"Item {number:04} of the library"})
            if number < COVERS:
                self.put_cover(record["id"], picture)

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(add, range(ITEMS)))

    def origin_picture(self) -> bytes:
        page = self.context().new_page()
        return bytes(page.evaluate("""async () => {
            const canvas = new OffscreenCanvas(640, 360);
            const pen = canvas.getContext("2d");
            for (let at = 0; at < 64; at++) {
                pen.fillStyle = `hsl(${at * 40} 60% 50%)`;
                pen.fillRect((at % 8) * 80, Math.floor(at / 8) * 45, 80, 45);
            }
            return [...new Uint8Array(await (await canvas.convertToBlob({ type: "image/jpeg" })).arrayBuffer())];
        }"""))

    def put_cover(self, asset: str, picture: bytes):
        request = urllib.request.Request(f"{self.server.page}api/v1/assets/{asset}/cover", picture, method="PUT")
        request.add_header("Authorization", f"Bearer {self.server.key}")
        request.add_header("Content-Type", "image/jpeg")
        urllib.request.urlopen(request, timeout=30).close()
