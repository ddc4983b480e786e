#include "CMediaCachePage.h"

// The page's files, which lie in the folder beside this one; a test compares this table with it. `#embed` (C23, ISO/IEC
// 9899:2024 §6.10.4) puts them into the object file as they are; the compiler lists them among what this file depends on,
// so that a changed file is compiled in again.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wc23-extensions"
#endif

static const uint8_t adding_js[] = {
#embed "page/adding.js"
};

static const uint8_t address_js[] = {
#embed "page/address.js"
};

static const uint8_t agreement_js[] = {
#embed "page/agreement.js"
};

static const uint8_t alike_js[] = {
#embed "page/alike.js"
};

static const uint8_t api_js[] = {
#embed "page/api.js"
};

static const uint8_t card_js[] = {
#embed "page/card.js"
};

static const uint8_t channel_js[] = {
#embed "page/channel.js"
};

static const uint8_t channels_js[] = {
#embed "page/channels.js"
};

static const uint8_t choosing_js[] = {
#embed "page/choosing.js"
};

static const uint8_t dialogs_js[] = {
#embed "page/dialogs.js"
};

static const uint8_t downloadrow_js[] = {
#embed "page/downloadrow.js"
};

static const uint8_t downloads_js[] = {
#embed "page/downloads.js"
};

static const uint8_t elements_js[] = {
#embed "page/elements.js"
};

static const uint8_t events_js[] = {
#embed "page/events.js"
};

static const uint8_t failures_js[] = {
#embed "page/failures.js"
};

static const uint8_t format_js[] = {
#embed "page/format.js"
};

static const uint8_t icon_svg[] = {
#embed "page/icon.svg"
};

static const uint8_t icons_js[] = {
#embed "page/icons.js"
};

static const uint8_t index_html[] = {
#embed "page/index.html"
};

static const uint8_t keeping_js[] = {
#embed "page/keeping.js"
};

static const uint8_t keptbar_js[] = {
#embed "page/keptbar.js"
};

static const uint8_t keptfile_js[] = {
#embed "page/keptfile.js"
};

static const uint8_t keptstream_js[] = {
#embed "page/keptstream.js"
};

static const uint8_t key_js[] = {
#embed "page/key.js"
};

static const uint8_t keyform_js[] = {
#embed "page/keyform.js"
};

static const uint8_t known_js[] = {
#embed "page/known.js"
};

static const uint8_t library_js[] = {
#embed "page/library.js"
};

static const uint8_t main_js[] = {
#embed "page/main.js"
};

static const uint8_t newkey_js[] = {
#embed "page/newkey.js"
};

static const uint8_t notices_js[] = {
#embed "page/notices.js"
};

static const uint8_t page_css[] = {
#embed "page/page.css"
};

static const uint8_t places_js[] = {
#embed "page/places.js"
};

static const uint8_t played_js[] = {
#embed "page/played.js"
};

static const uint8_t player_css[] = {
#embed "page/player.css"
};

static const uint8_t player_js[] = {
#embed "page/player.js"
};

static const uint8_t playerkeys_js[] = {
#embed "page/playerkeys.js"
};

static const uint8_t playlists_js[] = {
#embed "page/playlists.js"
};

static const uint8_t problems_js[] = {
#embed "page/problems.js"
};

static const uint8_t programmes_js[] = {
#embed "page/programmes.js"
};

static const uint8_t recording_js[] = {
#embed "page/recording.js"
};

static const uint8_t reordering_js[] = {
#embed "page/reordering.js"
};

static const uint8_t replay_js[] = {
#embed "page/replay.js"
};

static const uint8_t resuming_js[] = {
#embed "page/resuming.js"
};

static const uint8_t router_js[] = {
#embed "page/router.js"
};

static const uint8_t ruler_js[] = {
#embed "page/ruler.js"
};

static const uint8_t settings_js[] = {
#embed "page/settings.js"
};

static const uint8_t source_js[] = {
#embed "page/source.js"
};

static const uint8_t storage_js[] = {
#embed "page/storage.js"
};

static const uint8_t store_js[] = {
#embed "page/store.js"
};

static const uint8_t stretch_js[] = {
#embed "page/stretch.js"
};

static const uint8_t theme_css[] = {
#embed "page/theme.css"
};

static const uint8_t theme_js[] = {
#embed "page/theme.js"
};

static const uint8_t thumbnail_js[] = {
#embed "page/thumbnail.js"
};

static const uint8_t upkeep_js[] = {
#embed "page/upkeep.js"
};

static const uint8_t video_js[] = {
#embed "page/video.js"
};

static const uint8_t views_css[] = {
#embed "page/views.css"
};

static const uint8_t window_js[] = {
#embed "page/window.js"
};

static const uint8_t words_js[] = {
#embed "page/words.js"
};

#define NAMED(name, content) {name, content, sizeof content}

static const mediacache_page_file files[] = {
    NAMED("adding.js", adding_js),
    NAMED("address.js", address_js),
    NAMED("agreement.js", agreement_js),
    NAMED("alike.js", alike_js),
    NAMED("api.js", api_js),
    NAMED("card.js", card_js),
    NAMED("channel.js", channel_js),
    NAMED("channels.js", channels_js),
    NAMED("choosing.js", choosing_js),
    NAMED("dialogs.js", dialogs_js),
    NAMED("downloadrow.js", downloadrow_js),
    NAMED("downloads.js", downloads_js),
    NAMED("elements.js", elements_js),
    NAMED("events.js", events_js),
    NAMED("failures.js", failures_js),
    NAMED("format.js", format_js),
    NAMED("icon.svg", icon_svg),
    NAMED("icons.js", icons_js),
    NAMED("index.html", index_html),
    NAMED("keeping.js", keeping_js),
    NAMED("keptbar.js", keptbar_js),
    NAMED("keptfile.js", keptfile_js),
    NAMED("keptstream.js", keptstream_js),
    NAMED("key.js", key_js),
    NAMED("keyform.js", keyform_js),
    NAMED("known.js", known_js),
    NAMED("library.js", library_js),
    NAMED("main.js", main_js),
    NAMED("newkey.js", newkey_js),
    NAMED("notices.js", notices_js),
    NAMED("page.css", page_css),
    NAMED("places.js", places_js),
    NAMED("played.js", played_js),
    NAMED("player.css", player_css),
    NAMED("player.js", player_js),
    NAMED("playerkeys.js", playerkeys_js),
    NAMED("playlists.js", playlists_js),
    NAMED("problems.js", problems_js),
    NAMED("programmes.js", programmes_js),
    NAMED("recording.js", recording_js),
    NAMED("reordering.js", reordering_js),
    NAMED("replay.js", replay_js),
    NAMED("resuming.js", resuming_js),
    NAMED("router.js", router_js),
    NAMED("ruler.js", ruler_js),
    NAMED("settings.js", settings_js),
    NAMED("source.js", source_js),
    NAMED("storage.js", storage_js),
    NAMED("store.js", store_js),
    NAMED("stretch.js", stretch_js),
    NAMED("theme.css", theme_css),
    NAMED("theme.js", theme_js),
    NAMED("thumbnail.js", thumbnail_js),
    NAMED("upkeep.js", upkeep_js),
    NAMED("video.js", video_js),
    NAMED("views.css", views_css),
    NAMED("window.js", window_js),
    NAMED("words.js", words_js),
};

size_t mediacache_page_file_count(void) {
    return sizeof files / sizeof files[0];
}

mediacache_page_file mediacache_page_file_at(size_t index) {
    return files[index];
}
