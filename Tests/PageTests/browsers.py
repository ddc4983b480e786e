"""The browsers of the main journeys, behind one interface: Chromium through Playwright, Firefox through Marionette, and
WebKitGTK through WebDriver."""

import base64
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

from origin import free_port
from page_case import NARROW, WIDE, launch_chromium

#: The time limit of a script or of the start of a browser, in seconds.
LIMIT_SECONDS = 40


def start(name: str):
    """Starts a browser, with `open(address, narrow=, dark=)` for a tab and `close()`."""
    return {"chromium": Chromium, "firefox": Firefox, "webkit": WebKit}[name]()


class Chromium:
    def __init__(self):
        self._playwright = sync_playwright().start()
        self._browser = launch_chromium(self._playwright)

    def open(self, address: str, *, narrow: bool, dark: bool) -> "ChromiumTab":
        context = self._browser.new_context(
            viewport=NARROW if narrow else WIDE, color_scheme="dark" if dark else "light", reduced_motion="reduce")
        page = context.new_page()
        page.set_default_timeout(LIMIT_SECONDS * 1000)
        page.goto(address)
        return ChromiumTab(context, page)

    def close(self):
        self._browser.close()
        self._playwright.stop()


class ChromiumTab:
    def __init__(self, context, page):
        self._context, self._page = context, page

    def evaluate(self, function: str, *arguments):
        """Calls a JavaScript function with JSON values, and returns its result or that of its promise."""
        return self._page.evaluate(f"arguments => ({function})(...arguments)", list(arguments))

    def press(self, *keys: str):
        """Presses keys, which are characters or names such as "Enter" and "ArrowLeft"."""
        for key in keys:
            self._page.keyboard.press(key)

    def type(self, text: str):
        self._page.keyboard.type(text)

    def screenshot(self, file: Path):
        self._page.screenshot(path=file)

    def close(self):
        self._context.close()


class DriverTab:
    """A browser with one window, controlled by the commands of WebDriver. Subclasses send them with `_call`."""

    #: The values of keys in WebDriver.
    KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "ArrowLeft": "\ue012", "ArrowUp": "\ue013",
            "ArrowRight": "\ue014", "ArrowDown": "\ue015", "Home": "\ue011", "End": "\ue010"}

    def _call(self, name: str, parameters: dict):
        raise NotImplementedError

    def _begin(self, address: str, size: dict):
        self._call("SetTimeouts", {"script": LIMIT_SECONDS * 1000, "pageLoad": LIMIT_SECONDS * 1000})
        # The size of the window includes the browser's controls, and may change with a delay.
        rectangle = dict(size)
        for _ in range(10):
            self._call("SetWindowRect", rectangle)
            time.sleep(0.2)
            width, height = self.evaluate("() => [innerWidth, innerHeight]")
            if (width, height) == (size["width"], size["height"]):
                break
            rectangle["width"] += size["width"] - width
            rectangle["height"] += size["height"] - height
        else:
            raise AssertionError(f"the window has the size {width} x {height} instead of {size}")
        self._call("Navigate", {"url": address})

    def evaluate(self, function: str, *arguments):
        script = ("const done = arguments[arguments.length - 1];"
                  f"Promise.resolve().then(() => ({function})(...arguments[0]))"
                  ".then(value => done({ value }), error => done({ error: `${error}` }));")
        answer = self._call("ExecuteAsyncScript", {"script": script, "args": [list(arguments)]})
        if "error" in answer:
            raise AssertionError(answer["error"])
        return answer.get("value")

    def press(self, *keys: str):
        values = [self.KEYS.get(key, key) for key in keys]
        actions = [{"type": kind, "value": value} for value in values for kind in ("keyDown", "keyUp")]
        self._call("PerformActions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def type(self, text: str):
        self.press(*text)

    def screenshot(self, file: Path):
        file.write_bytes(base64.b64decode(self._call("TakeScreenshot", {})))

    def _end(self, *processes: subprocess.Popen):
        for process in processes:
            if process.poll() is None:
                process.terminate()
        for process in processes:
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


class Firefox:
    """Starts a process for each tab, because the preferred colors are a setting of the process."""

    def __init__(self):
        self._program = shutil.which("firefox-esr") or shutil.which("firefox")
        if not self._program:
            raise AssertionError("firefox-esr is missing; 'make setup' installs it on Debian")

    def open(self, address: str, *, narrow: bool, dark: bool) -> DriverTab:
        return FirefoxTab(self._program, address, NARROW if narrow else WIDE, dark)

    def close(self):
        pass


class FirefoxTab(DriverTab):
    #: Permits windows as narrow as a phone.
    STYLE = ":root, body, #main-window, #navigator-toolbox { min-width: 0 !important; }"

    def __init__(self, program: str, address: str, size: dict, is_dark: bool):
        self._folder = tempfile.TemporaryDirectory(prefix="mediacache-firefox-")
        port = free_port()
        preferences = {
            "marionette.port": port, "media.autoplay.default": 0, "media.volume_scale": "0.0",
            "layout.css.prefers-color-scheme.content-override": 0 if is_dark else 1, "ui.prefersReducedMotion": 1,
            "toolkit.legacyUserProfileCustomizations.stylesheets": True,
            "app.update.disabledForTesting": True, "datareporting.policy.dataSubmissionEnabled": False,
            "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False}
        (Path(self._folder.name) / "user.js").write_text("".join(
            f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences.items()))
        style = Path(self._folder.name) / "chrome" / "userChrome.css"
        style.parent.mkdir()
        style.write_text(self.STYLE)
        self._process = subprocess.Popen(
            [program, "--headless", "--marionette", "--no-remote", "--profile", self._folder.name],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._connection = self._number = None
        try:
            self._connect(port)
            self._call("NewSession", {"capabilities": {}})
            self._begin(address, size)
        except BaseException:
            self.close()
            raise

    def _connect(self, port: int):
        limit = time.monotonic() + LIMIT_SECONDS
        while True:
            try:
                self._connection = socket.create_connection(("127.0.0.1", port), LIMIT_SECONDS + 20)
                break
            except OSError:
                if time.monotonic() > limit:
                    raise
                time.sleep(0.1)
        self._stream = self._connection.makefile("rb")
        self._receive()
        self._number = 0

    def _receive(self):
        length = b""
        while not length.endswith(b":"):
            byte = self._stream.read(1)
            if not byte:
                raise AssertionError("Firefox has closed the connection")
            length += byte
        return json.loads(self._stream.read(int(length[:-1])))

    def _call(self, name: str, parameters: dict):
        self._number += 1
        text = json.dumps([0, self._number, f"WebDriver:{name}", parameters]).encode()
        self._connection.sendall(b"%d:%b" % (len(text), text))
        _, _, error, result = self._receive()
        if error:
            raise AssertionError(f"{name}: {error['error']}: {error['message']}")
        return result.get("value") if isinstance(result, dict) else result

    def close(self):
        if self._connection:
            self._connection.close()
        self._end(self._process)
        self._folder.cleanup()


class WebKit:
    """WebKitGTK's MiniBrowser. Starts a process for each tab, because its preferred colors are those of the GTK theme."""

    FOLDERS = [f"/usr/lib/{machine}-linux-gnu/webkit2gtk-{version}"
               for machine in ("x86_64", "aarch64") for version in ("4.1", "4.0")]

    def __init__(self):
        found = [folder for folder in self.FOLDERS if os.access(f"{folder}/MiniBrowser", os.X_OK)]
        if not found or not shutil.which("WebKitWebDriver") or not shutil.which("Xvfb"):
            raise AssertionError("webkit2gtk-driver or xvfb is missing; 'make setup' installs them on Debian")
        self._program = f"{found[0]}/MiniBrowser"
        read, write = os.pipe()
        # Xvfb writes the number of the display when it is ready.
        self._screen = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "1600x1200x24", "-nolisten", "tcp"], pass_fds=[write],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write)
        with open(read) as display:
            self._display = f":{display.readline().strip()}"

    def open(self, address: str, *, narrow: bool, dark: bool) -> DriverTab:
        return WebKitTab(self._program, self._display, address, NARROW if narrow else WIDE, dark)

    def close(self):
        self._screen.terminate()
        self._screen.wait()


class WebKitTab(DriverTab):
    #: The paths of WebDriver's commands (W3C WebDriver, "Endpoints").
    PATHS = {"NewSession": "", "SetTimeouts": "/timeouts", "SetWindowRect": "/window/rect", "Navigate": "/url",
             "ExecuteAsyncScript": "/execute/async", "PerformActions": "/actions"}

    #: Makes the browser's controls narrower than a phone.
    STYLE = "* { min-width: 0; padding: 0; margin: 0; border-width: 0; }"

    def __init__(self, program: str, display: str, address: str, size: dict, is_dark: bool):
        port = free_port()
        self._folder = tempfile.TemporaryDirectory(prefix="mediacache-webkit-")
        style = Path(self._folder.name) / "gtk-3.0" / "gtk.css"
        style.parent.mkdir()
        style.write_text(self.STYLE)
        style.with_name("settings.ini").write_text("[Settings]\ngtk-enable-animations=0\n")
        environment = {**os.environ, "DISPLAY": display, "GDK_BACKEND": "x11", "LC_ALL": "C.UTF-8",
                       "XDG_CONFIG_HOME": self._folder.name, "GTK_THEME": "Adwaita:dark" if is_dark else "Adwaita"}
        self._driver = subprocess.Popen(
            ["WebKitWebDriver", f"--port={port}"], env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        self._base = f"http://127.0.0.1:{port}/session"
        self._session = None
        options = {"webkitgtk:browserOptions": {"binary": program, "args": ["--automation"]}}
        try:
            limit = time.monotonic() + LIMIT_SECONDS
            while self._session is None:
                try:
                    answer = self._call("NewSession", {"capabilities": {"alwaysMatch": options}})
                    self._session = f"/{answer['sessionId']}"
                except urllib.error.URLError:
                    if time.monotonic() > limit:
                        raise
                    time.sleep(0.1)
            self._begin(address, size)
        except BaseException:
            self.close()
            raise

    def _call(self, name: str, parameters: dict):
        if name == "TakeScreenshot":
            return self._send("GET", "/screenshot", None)
        return self._send("POST", self.PATHS[name], parameters)

    def _send(self, method: str, path: str, parameters: dict | None):
        data = None if parameters is None else json.dumps(parameters).encode()
        request = urllib.request.Request(
            f"{self._base}{self._session or ''}{path}", data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=LIMIT_SECONDS + 20) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.read().decode()}") from error

    def close(self):
        if self._session:
            try:
                self._send("DELETE", "", None)
            except (OSError, AssertionError):
                pass
        # The browser belongs to the driver's process group.
        try:
            os.killpg(self._driver.pid, signal.SIGTERM)
        except ProcessLookupError:
            pass
        self._end(self._driver)
        self._folder.cleanup()
