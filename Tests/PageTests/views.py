"""The page's views with a gallery in them, by the names that screenshots have."""

from urllib.parse import quote

from gallery import CHANNEL, RUNNING, STREAM, Gallery


def views(gallery: Gallery) -> dict[str, str]:
    return {
        "library": "#/library",
        "player": f"#/play/asset/{gallery.assets[STREAM]}",
        "arriving": f"#/play/asset/{gallery.assets[RUNNING]}",
        "through": "#/play/url/" + quote(gallery.origin.url("song.m4a"), safe=""),
        "downloads": "#/downloads",
        "channels": "#/channels",
        "channel": f"#/channels/{CHANNEL}",
        "played": "#/played",
        "storage": "#/storage",
    }
