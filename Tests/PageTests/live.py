"""A simulated live stream, which lists the segments of a long stream as time passes."""

import datetime
import time
from collections.abc import Container

from media import LIVE_SECONDS, SEGMENT_SECONDS
from origin import Origin


class LiveStream:
    """A live stream whose playlist covers the last five minutes, even right after the start, unless `age` is less.

    `start` is the time of second 0 of the video, in milliseconds since 1970. `gaps` contains the numbers of the segments
    that the playlist marks as gaps. `age` is the number of seconds since second 0.
    """

    WINDOW_SECONDS = 300

    def __init__(self, origin: Origin, path: str = "live/now.m3u8", gaps: Container[int] = (),
                 age: int = WINDOW_SECONDS):
        self._gaps = gaps
        self.start = int(time.time() - age) * 1000
        self.url = origin.url(path)
        origin.answers["/" + path] = self._answer

    def second(self, moment: float) -> float:
        """Returns the second of the video at a time in milliseconds since 1970."""
        return (moment - self.start) / 1000

    def _answer(self):
        return 200, "application/vnd.apple.mpegurl", self._playlist(time.time()).encode()

    def _playlist(self, now: float) -> str:
        elapsed = min(now - self.start / 1000, LIVE_SECONDS)
        end = int(elapsed // SEGMENT_SECONDS)
        first = max(0, end - self.WINDOW_SECONDS // SEGMENT_SECONDS)
        lines = ["#EXTM3U", "#EXT-X-VERSION:8", f"#EXT-X-TARGETDURATION:{SEGMENT_SECONDS}",
                 f"#EXT-X-MEDIA-SEQUENCE:{first}"]
        for number in range(first, end):
            moment = datetime.datetime.fromtimestamp(
                self.start / 1000 + number * SEGMENT_SECONDS, datetime.timezone.utc)
            lines += [f"#EXT-X-PROGRAM-DATE-TIME:{moment.isoformat(timespec='milliseconds')}",
                      f"#EXTINF:{SEGMENT_SECONDS:.3f},"]
            if number in self._gaps:
                lines.append("#EXT-X-GAP")
            lines.append(f"index{number}.ts")
        if elapsed >= LIVE_SECONDS:
            lines.append("#EXT-X-ENDLIST")
        return "\n".join(lines) + "\n"
