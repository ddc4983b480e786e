"""The properties of a media file, read by ffprobe."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Movie:
    """A saved file: its duration in seconds, video height, number of video packets, and audio languages."""

    duration: float
    height: int
    packets: int
    audio: list[str]

    @classmethod
    def read(cls, file: Path) -> "Movie":
        """Reads the whole file. Fails if it is truncated or damaged."""
        command = ["ffprobe", "-v", "error", "-count_packets", "-show_entries",
                   "format=duration:stream=codec_type,height,nb_read_packets:stream_tags=language", "-of", "json", file]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        if done.returncode or done.stderr.strip():
            raise AssertionError(f"ffprobe of {file.name}: {done.stderr}")
        found = json.loads(done.stdout)
        video = [stream for stream in found["streams"] if stream["codec_type"] == "video"]
        audio = [stream for stream in found["streams"] if stream["codec_type"] == "audio"]
        if len(video) != 1:
            raise AssertionError(f"{file.name} has {len(video)} video tracks")
        return cls(float(found["format"]["duration"]), video[0]["height"], int(video[0]["nb_read_packets"]),
                   [stream.get("tags", {}).get("language", "") for stream in audio])
