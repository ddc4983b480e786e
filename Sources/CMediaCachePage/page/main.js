// Begins: takes the key, follows what happens, shows the view of the address.

import { needsToken, setPlaybackToken } from "./address.js";
import { api, onRefused } from "./api.js";
import { startAdding } from "./adding.js";
import { channelView } from "./channel.js";
import { channelsView } from "./channels.js";
import { downloadsView } from "./downloads.js";
import { follow } from "./events.js";
import { heed } from "./failures.js";
import { key } from "./key.js";
import { askForKey } from "./keyform.js";
import { libraryView } from "./library.js";
import { takeKey } from "./newkey.js";
import { notify } from "./notices.js";
import { playedView } from "./played.js";
import { playerView } from "./player.js";
import { startProblems } from "./problems.js";
import { startRouter } from "./router.js";
import { storageView } from "./storage.js";
import { apply, readAll } from "./store.js";
import { startTheme } from "./theme.js";
import { say } from "./elements.js";

const connection = document.getElementById("connection");

const foreign = "The address held a key that the server doesn’t take. The page goes on with the key that it has.";

/** A new key starts the page again. */
addEventListener("hashchange", async () => {
  const result = await takeKey();
  if (result === "taken") location.reload();
  else if (result === "refused" && key()) notify(foreign);
});

function start() {
  let isRunning = false;
  onRefused(() => askForKey(true));
  follow({
    async connected() {
      if (needsToken) setPlaybackToken((await api.standingToken()).token);
      await readAll();
      say(connection, "");
      if (isRunning) return;
      isRunning = true;
      startAdding();
      startRouter({
        library: libraryView,
        downloads: downloadsView,
        channels: (view) => (view.parts.length ? channelView(view) : channelsView(view)),
        played: playedView,
        storage: storageView,
        play: playerView,
      });
    },
    event(record) {
      heed(record);
      apply(record);
    },
    lost() {
      say(connection,
        "The server doesn’t answer. Start it with “mediacache serve” if it isn’t running; this page goes on by itself."
      );
    },
  });
}

startTheme();
startProblems();
takeKey().then((result) => {
  if (!key()) return askForKey(result === "refused");
  start();
  if (result === "refused") notify(foreign);
});
