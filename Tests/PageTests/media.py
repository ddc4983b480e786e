"""The origin's media, generated once by ffmpeg and reused in later runs."""

import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path

SEGMENT_SECONDS = 2
FILM_SECONDS = 60
FILM_HEIGHTS = (540, 360, 240)
FILM_KILOBITS = {540: 1000, 360: 500, 240: 250}
LIVE_SECONDS = 720

# A strip at the bottom of the live video encodes the current second: one vertical bar per bit, white for 1, with the
# lowest bit on the left.
CODE_BITS = 10
CODE_HEIGHT = 32
LIVE_WIDTH, LIVE_HEIGHT, LIVE_RATE = 320, 180, 5

# The covers of the library, as ffmpeg sources.
COVERS = {
    "harbour": "gradients=s=480x270:c0=0x0b2545:c1=0x8da9c4:c2=0xf4a259:n=3:type=linear:seed=11",
    "river": "mandelbrot=s=480x270:start_x=-0.743643:start_y=0.131826:start_scale=0.004:maxiter=400",
    "snow": "gradients=s=480x270:c0=0xe0fbfc:c1=0x3d5a80:c2=0x98c1d9:n=3:type=radial:seed=5",
    "market": "gradients=s=480x270:c0=0xbc4749:c1=0xf2e8cf:c2=0x6a994e:c3=0x386641:n=4:type=spiral:seed=9",
    "trams": "sierpinski=s=480x270:type=carpet:seed=2,colorchannelmixer=.9:.2:.1:0:.3:.5:.1:0:.2:.2:.6",
    "birds": "mandelbrot=s=480x270:start_x=-1.25066:start_y=0.02012:start_scale=0.0008:maxiter=300",
    "night": "gradients=s=480x270:c0=0x1d3b53:c1=0xe8b04b:c2=0x7a2e4d:n=3:seed=7",
}

SUBTITLES = {"en": ("English", "A line of the dialogue."), "de": ("Deutsch", "Eine Zeile des Gesagten.")}
TONES = {"en": ("English", 330), "de": ("Deutsch", 495)}

MULTIVARIANT_HEAD = "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-INDEPENDENT-SEGMENTS\n"


class MediaFolder:
    """A folder of media. A change to this file creates a new folder."""

    def __init__(self, parent: Path):
        recipe = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:12]
        self.path = parent / f"media-{recipe}"
        if self.path.is_dir():
            return
        # The folder has another name until it is complete, so that the folder of an interrupted run is never used.
        parent.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix="unfinished-", dir=parent))
        _make_film(unfinished / "film")
        _make_live(unfinished / "live")
        _make_clip(unfinished / "clip.mp4")
        _make_song(unfinished / "song.m4a")
        _make_covers(unfinished / "covers")
        try:
            unfinished.rename(self.path)
        except OSError:
            # Another process has made the folder at the same time.
            shutil.rmtree(unfinished)
            if not self.path.is_dir():
                raise

    def __truediv__(self, name: str) -> Path:
        return self.path / name


def ffmpeg(*arguments: object, stdin=None):
    """Runs ffmpeg. `stdin` is an iterable of bytes for its standard input."""
    command = ["ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y", *map(str, arguments)]
    if stdin is None:
        subprocess.run(command, check=True, timeout=180)
        return
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        for piece in stdin:
            process.stdin.write(piece)
        process.stdin.close()
        if process.wait(timeout=180):
            raise subprocess.CalledProcessError(process.returncode, command)


def _hls(folder: Path, *options: object) -> list[object]:
    """Creates `folder`, and returns ffmpeg's options for a playlist and its segments in it."""
    folder.mkdir(parents=True)
    return [*options, "-f", "hls", "-hls_time", SEGMENT_SECONDS, "-hls_playlist_type", "vod", folder / "index.m3u8"]


def _x264(kilobits: int, rate: int) -> list[object]:
    """Returns options for video with a key frame per segment, and a constant bit rate, so that size reflects time."""
    size = f"{kilobits}k"
    return ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-r", rate,
            "-b:v", size, "-minrate", size, "-maxrate", size, "-bufsize", size, "-x264-params", "nal-hrd=cbr",
            "-g", rate * SEGMENT_SECONDS, "-keyint_min", rate * SEGMENT_SECONDS, "-sc_threshold", 0]


def _make_film(folder: Path):
    """Generates an on-demand stream with three variants, and audio and subtitle renditions in two languages."""
    rate = 12
    fmp4 = ["-hls_segment_type", "fmp4"]
    picture = f"gradients=s=960x540:r={rate}:d={FILM_SECONDS}:c0=0x1d3b53:c1=0xe8b04b:c2=0x7a2e4d:n=3:speed=0.02:seed=7"
    names = "".join(f"[v{height}]" for height in FILM_HEIGHTS)
    scales = ";".join(f"[s{height}]scale=-2:{height}[v{height}]" for height in FILM_HEIGHTS)
    split = f"[0:v]split={len(FILM_HEIGHTS)}" + names.replace("v", "s") + ";" + scales
    outputs: list[object] = []
    for height in FILM_HEIGHTS:
        outputs += _hls(folder / f"v{height}", "-map", f"[v{height}]", *_x264(FILM_KILOBITS[height], rate), *fmp4)
    ffmpeg("-f", "lavfi", "-i", picture, "-filter_complex", split, *outputs)
    for language, (_, hertz) in TONES.items():
        tone = f"sine=frequency={hertz}:sample_rate=44100:duration={FILM_SECONDS}"
        ffmpeg("-f", "lavfi", "-i", tone,
               *_hls(folder / f"sound-{language}", "-c:a", "aac", "-b:a", "64k", *fmp4))
    for language, (_, line) in SUBTITLES.items():
        (folder / f"text-{language}").mkdir()
        cues = "".join(
            f"00:{s // 60:02}:{s % 60:02}.000 --> 00:{s // 60:02}:{s % 60 + 4:02}.000\n{line}\n\n"
            for s in range(0, FILM_SECONDS - 5, 5))
        (folder / f"text-{language}" / "all.vtt").write_text("WEBVTT\n\n" + cues)
        (folder / f"text-{language}" / "index.m3u8").write_text(
            f"#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:{FILM_SECONDS}\n#EXT-X-PLAYLIST-TYPE:VOD\n"
            f"#EXTINF:{FILM_SECONDS},\nall.vtt\n#EXT-X-ENDLIST\n")
    (folder / "index.m3u8").write_text(_multivariant())


def _multivariant() -> str:
    lines = MULTIVARIANT_HEAD
    for kind, group, folder, languages in (("AUDIO", "sound", "sound", TONES), ("SUBTITLES", "text", "text", SUBTITLES)):
        for language, (name, _) in languages.items():
            is_default = "YES" if (language, kind) == ("en", "AUDIO") else "NO"
            lines += (f'#EXT-X-MEDIA:TYPE={kind},GROUP-ID="{group}",NAME="{name}",LANGUAGE="{language}",'
                      f'DEFAULT={is_default},AUTOSELECT=YES,URI="{folder}-{language}/index.m3u8"\n')
    for height in FILM_HEIGHTS:
        bandwidth = (FILM_KILOBITS[height] + 64) * 1100
        lines += (f'#EXT-X-STREAM-INF:BANDWIDTH={bandwidth},RESOLUTION={height * 16 // 9}x{height},FRAME-RATE=12.000,'
                  f'CODECS="avc1.42c01f,mp4a.40.2",AUDIO="sound",SUBTITLES="text"\nv{height}/index.m3u8\n')
    return lines


def _make_live(folder: Path):
    """Generates transport stream segments whose frames encode their second."""
    picture = (f"gradients=s={LIVE_WIDTH}x{LIVE_HEIGHT - CODE_HEIGHT}:r={LIVE_RATE}:d={LIVE_SECONDS}:type=radial"
               ":c0=0x24506b:c1=0xd98e4a:c2=0x6a4a7c:n=3:speed=0.03:seed=3")
    ffmpeg("-f", "rawvideo", "-pix_fmt", "gray", "-s", f"{LIVE_WIDTH}x{CODE_HEIGHT}", "-r", LIVE_RATE, "-i", "pipe:0",
           "-f", "lavfi", "-i", picture,
           "-f", "lavfi", "-i", f"sine=frequency=440:sample_rate=44100:duration={LIVE_SECONDS}",
           "-filter_complex", "[1:v]format=yuv420p[above];[0:v]format=yuv420p[strip];[above][strip]vstack[v]",
           *_hls(folder, "-map", "[v]", "-map", "2:a", *_x264(200, LIVE_RATE), "-c:a", "aac", "-b:a", "48k"),
           stdin=_coded_frames())


def _coded_frames():
    bar = LIVE_WIDTH // CODE_BITS
    for second in range(LIVE_SECONDS):
        # Zeros are dark gray, to distinguish second 0 from a missing frame, which is black.
        row = b"".join(bytes([235 if second >> bit & 1 else 60]) * bar for bit in range(CODE_BITS))
        yield row * (CODE_HEIGHT * LIVE_RATE)


def _make_clip(file: Path):
    ffmpeg("-f", "lavfi", "-i", "testsrc2=s=640x360:r=24:d=20", "-f", "lavfi", "-i", "sine=frequency=262:duration=20",
           *_x264(800, 24), "-c:a", "aac", "-b:a", "96k", "-movflags", "+faststart", file)


def _make_song(file: Path):
    ffmpeg("-f", "lavfi", "-i", "sine=frequency=220:duration=30", "-c:a", "aac", "-b:a", "96k",
           "-movflags", "+faststart", file)


def _make_covers(folder: Path):
    folder.mkdir()
    for name, source in COVERS.items():
        ffmpeg("-f", "lavfi", "-i", source, "-frames:v", "1", "-q:v", "4", folder / f"{name}.jpg")
