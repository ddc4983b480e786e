"""Plays the demo's clip in a browser.

    demo.py ADDRESS      ADDRESS is the one that 'mediacache demo' prints

Prints the position after more than 2 s and 20 pictures. Exits with 1 if playback doesn't get that far within 30 s.
"""

import os
import shutil
import sys
import time

from playwright.sync_api import sync_playwright

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(
        executable_path=shutil.which(os.environ.get("CHROMIUM", "chromium")), args=["--no-sandbox"])
    page = browser.new_page()
    page.goto(sys.argv[1])
    page.wait_for_selector("video")
    end = time.monotonic() + 30
    while time.monotonic() < end:
        position, frames = page.evaluate("""() => {
            const video = document.querySelector("video")
            video.muted = true
            video.play().catch(() => {})
            return [video.currentTime, video.getVideoPlaybackQuality().totalVideoFrames]
        }""")
        if position > 2 and frames > 20:
            print(f"played up to {position:.1f} s, {frames} pictures")
            sys.exit()
        time.sleep(0.2)
    sys.exit(f"no playback: position {position} s, {frames} pictures")
