"""The frame that a video element shows, read from its pixels."""

from playwright.sync_api import Error, Locator

from media import CODE_BITS

# Reads the next frame with its own time, since `currentTime` may be ahead of it.
FRAME = """
async (video, bits) => {
    const time = await new Promise((resolve, reject) => {
        const limit = setTimeout(() => reject(new Error(`no frame at ${video.currentTime}`)), 20000);
        video.requestVideoFrameCallback((_, frame) => { clearTimeout(limit); resolve(frame.mediaTime); });
    });
    const canvas = document.createElement("canvas");
    canvas.width = video.videoWidth;
    canvas.height = video.videoHeight;
    const context = canvas.getContext("2d");
    context.drawImage(video, 0, 0);
    const pixels = context.getImageData(0, 0, canvas.width, canvas.height).data;
    const light = (x, y) => {
        const index = 4 * (Math.floor(y * canvas.height) * canvas.width + Math.floor(x * canvas.width));
        return (pixels[index] + pixels[index + 1] + pixels[index + 2]) / 3;
    };
    let brightest = 0, sum = 0;
    for (let row = 0; row < 20; row++) for (let column = 0; column < 20; column++) {
        const value = light((column + 0.5) / 20, (row + 0.5) / 20);
        brightest = Math.max(brightest, value);
        sum += value;
    }
    let code = 0;
    for (let bit = 0; bit < bits; bit++) if (light((bit + 0.5) / bits, 0.93) > 150) code += 2 ** bit;
    return {time, code, brightest, mean: sum / 400, width: canvas.width, height: canvas.height};
}
"""


def current_time(video: Locator) -> float:
    return video.evaluate("video => video.currentTime")


def frame(video: Locator) -> dict:
    """Returns the next frame: its `time`, `width` and `height`, the `mean` and the `brightest` of its brightness at 400
    points (0 to 255), and the `code` in the strip at its bottom."""
    return video.evaluate(FRAME, CODE_BITS)


def set_rate(video: Locator, rate: float):
    """Sets the playback rate. With a low rate, a slow machine doesn't miss a time range."""
    video.evaluate("(video, rate) => { video.defaultPlaybackRate = video.playbackRate = rate }", rate)


def playing_second(video: Locator) -> int | None:
    """Returns the second in the strip of the next frame, or None if the video isn't playing."""
    if not video.evaluate("video => !video.paused && !video.seeking && video.readyState > 2 && !video.error"):
        return None
    try:
        return frame(video)["code"]
    except Error:
        return None


def window_begin(video: Locator) -> float:
    """Returns the time of position 0 of a channel's video, in milliseconds since 1970."""
    return float(video.get_attribute("data-window-begin") or 0)


def is_black(picture: dict) -> bool:
    return picture["brightest"] < 24
