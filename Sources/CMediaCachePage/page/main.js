// Begins: takes the key, follows what happens, shows the view of the address.

import { onRefused } from "./api.js";
import { startAdding } from "./adding.js";
import { channelView } from "./channel.js";
import { channelsView } from "./channels.js";
import { downloadsView } from "./downloads.js";
import { follow } from "./events.js";
import { heed } from "./failures.js";
import { key, takeKey } from "./key.js";
import { askForKey } from "./keyform.js";
import { libraryView } from "./library.js";
import { playedView } from "./played.js";
import { playerView } from "./player.js";
import { startProblems } from "./problems.js";
import { startRouter } from "./router.js";
import { storageView } from "./storage.js";
import { apply, readAll } from "./store.js";
import { startTheme } from "./theme.js";
import { say } from "./elements.js";

const connection = document.getElementById("connection");

/** Where the page is told to open something with a new key, it begins anew. */
addEventListener("hashchange", () => { if (takeKey()) location.reload(); });

function start() {
  let isRunning = false;
  onRefused(() => askForKey(true));
  follow({
    async connected() {
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
takeKey();
if (key()) start();
else askForKey(false);
