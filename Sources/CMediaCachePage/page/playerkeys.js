// The keyboard while something plays. Where a key means something to what has the focus, it means that.

/** Where Escape is about what is typed or chosen. */
const takesText = "input, textarea, select, dialog";
const takesKeys = "input, textarea, select, [role=slider], dialog, [data-handle]";
const takesSpace = "button, a, summary, label";

/**
 * @param {HTMLVideoElement} video
 * @param {AbortSignal} signal ends it
 * @param {() => void} leave what Escape does
 * @param {(seconds: number) => void} [skip] another way to go back or forth
 */
export function startKeys(video, signal, leave, skip) {
  const jump = skip ?? ((seconds) => { video.currentTime = Math.min(
    Math.max(0, video.currentTime + seconds), video.duration || Infinity
  ); });
  const louder = (step) => { video.volume = Math.min(1, Math.max(0, Math.round((video.volume + step) * 20) / 20)); };
  const toggle = () => (video.paused ? video.play().catch(() => {}) : video.pause());
  const keys = {
    " ": toggle,
    k: toggle,
    ArrowLeft: () => jump(-10),
    ArrowRight: () => jump(10),
    ArrowUp: () => louder(0.1),
    ArrowDown: () => louder(-0.1),
    f: () => (document.fullscreenElement ? document.exitFullscreen() : video.requestFullscreen?.().catch(() => {})),
    m: () => { video.muted = !video.muted; },
    Escape: leave,
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (!keys[key] || (key === "Escape" && document.fullscreenElement)) return;
    if (event.target.closest?.(key === "Escape" ? takesText : takesKeys)) return;
    if (key === " " && event.target.closest?.(takesSpace)) return;
    event.preventDefault();
    event.stopPropagation();
    keys[key]();
  }, { signal, capture: true });
}
