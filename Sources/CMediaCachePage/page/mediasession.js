// Shows the media in the system's controls, and follows its keys.

/**
 * @param {{title: string, artwork?: string, skip: (seconds: number) => void, video: HTMLVideoElement, signal: AbortSignal}}
 *   options `artwork` is the URL of a picture; `skip` skips a number of seconds
 */
export function startMediaSession({ title, artwork, skip, video, signal }) {
  const { mediaSession } = navigator;
  if (!mediaSession) return;
  const actions = {
    seekbackward: ({ seekOffset }) => skip(-(seekOffset ?? 10)),
    seekforward: ({ seekOffset }) => skip(seekOffset ?? 10),
    seekto: ({ seekTime }) => { if (Number.isFinite(video.duration)) video.currentTime = seekTime; },
  };
  mediaSession.metadata = new MediaMetadata({ title, artwork: artwork ? [{ src: artwork }] : [] });
  for (const [name, act] of Object.entries(actions)) setHandler(name, act);
  signal.addEventListener("abort", () => {
    mediaSession.metadata = null;
    for (const name of Object.keys(actions)) setHandler(name, null);
  });

  function setHandler(name, act) {
    try { mediaSession.setActionHandler(name, act); } catch { /* the browser doesn't know the action */ }
  }
}
