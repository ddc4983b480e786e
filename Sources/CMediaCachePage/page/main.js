// The entry point of the page: accepts the key, follows the server's events, and shows the view for the address. With the
// library token instead of the key, it shows the page for other devices.

import { startAddField } from "./add.js";
import { needsToken, setPlaybackToken } from "./address.js";
import { api, onKeyRejected } from "./api.js";
import { channelView } from "./channel.js";
import { channelsView } from "./channels.js";
import { acceptTokenFromAddress, startDevice } from "./device.js";
import { downloadsView } from "./downloads.js";
import { updateText } from "./elements.js";
import { follow } from "./events.js";
import { reportEvent } from "./failures.js";
import { acceptKeyFromAddress, askForKey, key, storeUncheckedKey } from "./key.js";
import { libraryView } from "./library.js";
import { notify, startProblems } from "./notices.js";
import { playedView } from "./played.js";
import { playerView } from "./player.js";
import { startRouter } from "./router.js";
import { settingsView } from "./settings.js";
import { storageView } from "./storage.js";
import { apply, readAll } from "./store.js";
import { startTheme } from "./theme.js";

const connection = document.getElementById("connection");

const rejectedKey = "The server rejected the key in the address. The page continues with the stored key.";

addEventListener("hashchange", async () => {
  if (location.hash.startsWith("#token=")) return location.reload();
  const result = await acceptKeyFromAddress();
  if (result === "accepted") location.reload();
  else if (result === "rejected" && key()) notify(rejectedKey);
});

function start() {
  let isRunning = false;
  onKeyRejected(() => askForKey(true));
  follow({
    async connected() {
      storeUncheckedKey();
      if (needsToken) setPlaybackToken((await api.standingToken()).token);
      await readAll();
      updateText(connection, "");
      if (isRunning) return;
      isRunning = true;
      startAddField();
      startRouter({
        library: libraryView,
        downloads: downloadsView,
        channels: (view) => (view.parts.length ? channelView(view) : channelsView(view)),
        played: playedView,
        storage: storageView,
        settings: settingsView,
        play: playerView,
      });
    },
    event(record) {
      reportEvent(record);
      apply(record);
    },
    lost() {
      updateText(connection,
        "The server isn’t responding. If it isn’t running, start it with “mediacache serve”. This page reconnects automatically."
      );
    },
  });
}

startTheme();
startProblems();
const hasToken = acceptTokenFromAddress();
acceptKeyFromAddress().then((result) => {
  // The page with the key shows everything that the page with the token shows.
  if (!key()) return hasToken && result === "none" ? startDevice() : askForKey(result === "rejected");
  start();
  if (result === "rejected") notify(rejectedKey);
});
