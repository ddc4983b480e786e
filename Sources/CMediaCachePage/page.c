#include "CMediaCachePage.h"

// The files in the folder `page`, embedded unchanged by `#embed` (C23, ISO/IEC 9899:2024 §6.10.4). The compiler lists
// them as dependencies of this file, so that changes rebuild it.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wc23-extensions"
#endif

static const uint8_t add_js[] = {
#embed "page/add.js"
};
static const uint8_t address_js[] = {
#embed "page/address.js"
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
static const uint8_t channelplayback_js[] = {
#embed "page/channelplayback.js"
};
static const uint8_t channels_js[] = {
#embed "page/channels.js"
};
static const uint8_t choices_js[] = {
#embed "page/choices.js"
};
static const uint8_t clip_js[] = {
#embed "page/clip.js"
};
static const uint8_t consent_js[] = {
#embed "page/consent.js"
};
static const uint8_t controls_js[] = {
#embed "page/controls.js"
};
static const uint8_t coverage_js[] = {
#embed "page/coverage.js"
};
static const uint8_t coveragebar_js[] = {
#embed "page/coveragebar.js"
};
static const uint8_t device_js[] = {
#embed "page/device.js"
};
static const uint8_t deviceplayer_js[] = {
#embed "page/deviceplayer.js"
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
static const uint8_t feeder_js[] = {
#embed "page/feeder.js"
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
static const uint8_t key_js[] = {
#embed "page/key.js"
};
static const uint8_t library_js[] = {
#embed "page/library.js"
};
static const uint8_t main_js[] = {
#embed "page/main.js"
};
static const uint8_t mediasession_js[] = {
#embed "page/mediasession.js"
};
static const uint8_t mediasource_js[] = {
#embed "page/mediasource.js"
};
static const uint8_t notices_js[] = {
#embed "page/notices.js"
};
static const uint8_t page_css[] = {
#embed "page/page.css"
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
static const uint8_t playlists_js[] = {
#embed "page/playlists.js"
};
static const uint8_t presentation_js[] = {
#embed "page/presentation.js"
};
static const uint8_t programmes_js[] = {
#embed "page/programmes.js"
};
static const uint8_t recording_js[] = {
#embed "page/recording.js"
};
static const uint8_t removal_js[] = {
#embed "page/removal.js"
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
static const uint8_t rows_js[] = {
#embed "page/rows.js"
};
static const uint8_t ruler_js[] = {
#embed "page/ruler.js"
};
static const uint8_t selection_js[] = {
#embed "page/selection.js"
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
static const uint8_t stream_js[] = {
#embed "page/stream.js"
};
static const uint8_t subtitles_js[] = {
#embed "page/subtitles.js"
};
static const uint8_t theme_css[] = {
#embed "page/theme.css"
};
static const uint8_t theme_js[] = {
#embed "page/theme.js"
};
static const uint8_t thumbnails_js[] = {
#embed "page/thumbnails.js"
};
static const uint8_t timeline_js[] = {
#embed "page/timeline.js"
};
static const uint8_t trackmenu_js[] = {
#embed "page/trackmenu.js"
};
static const uint8_t video_js[] = {
#embed "page/video.js"
};
static const uint8_t views_css[] = {
#embed "page/views.css"
};
static const uint8_t watching_js[] = {
#embed "page/watching.js"
};
static const uint8_t words_js[] = {
#embed "page/words.js"
};

#define NAMED(name, content) {name, content, sizeof content}

static const mediacache_page_file files[] = {
    NAMED("add.js", add_js),
    NAMED("address.js", address_js),
    NAMED("api.js", api_js),
    NAMED("card.js", card_js),
    NAMED("channel.js", channel_js),
    NAMED("channelplayback.js", channelplayback_js),
    NAMED("channels.js", channels_js),
    NAMED("choices.js", choices_js),
    NAMED("clip.js", clip_js),
    NAMED("consent.js", consent_js),
    NAMED("controls.js", controls_js),
    NAMED("coverage.js", coverage_js),
    NAMED("coveragebar.js", coveragebar_js),
    NAMED("device.js", device_js),
    NAMED("deviceplayer.js", deviceplayer_js),
    NAMED("dialogs.js", dialogs_js),
    NAMED("downloadrow.js", downloadrow_js),
    NAMED("downloads.js", downloads_js),
    NAMED("elements.js", elements_js),
    NAMED("events.js", events_js),
    NAMED("failures.js", failures_js),
    NAMED("feeder.js", feeder_js),
    NAMED("format.js", format_js),
    NAMED("icon.svg", icon_svg),
    NAMED("icons.js", icons_js),
    NAMED("index.html", index_html),
    NAMED("key.js", key_js),
    NAMED("library.js", library_js),
    NAMED("main.js", main_js),
    NAMED("mediasession.js", mediasession_js),
    NAMED("mediasource.js", mediasource_js),
    NAMED("notices.js", notices_js),
    NAMED("page.css", page_css),
    NAMED("played.js", played_js),
    NAMED("player.css", player_css),
    NAMED("player.js", player_js),
    NAMED("playlists.js", playlists_js),
    NAMED("presentation.js", presentation_js),
    NAMED("programmes.js", programmes_js),
    NAMED("recording.js", recording_js),
    NAMED("removal.js", removal_js),
    NAMED("reordering.js", reordering_js),
    NAMED("replay.js", replay_js),
    NAMED("resuming.js", resuming_js),
    NAMED("router.js", router_js),
    NAMED("rows.js", rows_js),
    NAMED("ruler.js", ruler_js),
    NAMED("selection.js", selection_js),
    NAMED("settings.js", settings_js),
    NAMED("source.js", source_js),
    NAMED("storage.js", storage_js),
    NAMED("store.js", store_js),
    NAMED("stream.js", stream_js),
    NAMED("subtitles.js", subtitles_js),
    NAMED("theme.css", theme_css),
    NAMED("theme.js", theme_js),
    NAMED("thumbnails.js", thumbnails_js),
    NAMED("timeline.js", timeline_js),
    NAMED("trackmenu.js", trackmenu_js),
    NAMED("video.js", video_js),
    NAMED("views.css", views_css),
    NAMED("watching.js", watching_js),
    NAMED("words.js", words_js),
};

size_t mediacache_page_file_count(void) {
    return sizeof files / sizeof files[0];
}

mediacache_page_file mediacache_page_file_at(size_t index) {
    return files[index];
}
