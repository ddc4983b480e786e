"""Looks at what a browser context does beside what it shows."""

import re
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Request


class Watch:
    """Notes requests beyond the server, errors in the console, and what the Content-Security-Policy stopped."""

    def __init__(self, context: BrowserContext, base: str):
        self._base = urlsplit(base).netloc
        self._allowed: list[re.Pattern] = []
        self._findings: list[str] = []
        #: Every request to the server: method and path.
        self.requests: list[str] = []
        context.on("request", self._note_request)
        context.on("console", self._note_message)
        context.on("weberror", lambda error: self._findings.append(f"uncaught: {error.error}"))
        context.add_init_script(
            "addEventListener('securitypolicyviolation', event => console.error("
            "`policy: ${event.violatedDirective} stopped ${event.blockedURI}`))")

    def allow(self, pattern: str):
        """What a test provokes is no finding."""
        self._allowed.append(re.compile(pattern))

    @property
    def findings(self) -> list[str]:
        return [text for text in self._findings if not any(pattern.search(text) for pattern in self._allowed)]

    def _note_request(self, request: Request):
        address = urlsplit(request.url)
        if address.scheme in ("blob", "data"):
            return
        if address.netloc != self._base:
            self._findings.append(f"request beyond the server: {request.url}")
        self.requests.append(f"{request.method} {address.path}")

    def _note_message(self, message: ConsoleMessage):
        if message.type in ("error", "warning"):
            where = (message.location or {}).get("url", "")
            self._findings.append(f"console: {message.text} ({where})")
