// Shows the media in the system's media controls, and handles their actions.

/**
 * @param {Object} options
 * @param {string} options.title
 * @param {string} [options.artist]
 * @param {string} [options.album]
 * @param {string} [options.artwork] the URL of a picture
 * @param {(seconds: number) => void} options.skip skips a number of seconds
 * @param {HTMLVideoElement} options.video
 * @param {AbortSignal} options.signal stops it when aborted
 */
export function startMediaSession({ title, artist, album, artwork, skip, video, signal }) {
  const { mediaSession } = navigator;
  if (!mediaSession) return;
  const actions = {
    seekbackward: ({ seekOffset }) => skip(-(seekOffset ?? 10)),
    seekforward: ({ seekOffset }) => skip(seekOffset ?? 10),
    seekto: ({ seekTime }) => { if (Number.isFinite(video.duration)) video.currentTime = seekTime; },
  };
  mediaSession.metadata = new MediaMetadata({ title, artist, album, artwork: artwork ? [{ src: artwork }] : [] });
  for (const [name, act] of Object.entries(actions)) setHandler(name, act);
  const showPosition = () => {
    const { duration, currentTime, playbackRate } = video;
    const isKnown = Number.isFinite(duration) && currentTime <= duration && playbackRate > 0;
    mediaSession.setPositionState?.(isKnown ? { duration, position: currentTime, playbackRate } : undefined);
  };
  for (const event of ["durationchange", "seeked", "ratechange", "play", "pause"]) {
    video.addEventListener(event, showPosition, { signal });
  }
  signal.addEventListener("abort", () => {
    mediaSession.setPositionState?.();
    mediaSession.metadata = null;
    for (const name of Object.keys(actions)) setHandler(name, null);
  });

  function setHandler(name, act) {
    try { mediaSession.setActionHandler(name, act); } catch { /* the browser doesn't know the action */ }
  }
}
