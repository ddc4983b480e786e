import Foundation

/// A page with `<video>` that plays a stream in Chromium without help of a script, and says how it ended by what it
/// asks its own origin for.
enum ChromiumPage {
    /// Plays all of `url`, `rate` times as fast as it is meant to be.
    static func play(_ url: URL, rate: Int, within limit: Duration) async throws -> StreamPlayer.Playback {
        let folder = try TemporaryFolder("page")
        try html(source: url.absoluteString, rate: rate)
            .write(toFile: folder.file("page.html"), atomically: true, encoding: .utf8)
        let origin = try await NginxOrigin(serving: folder.path)
        let browser = try ChildProcess(
            Peer.required("chromium"),
            ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage"]
                + ["--disable-background-networking", "--autoplay-policy=no-user-gesture-required"]
                + ["--user-data-dir=\(folder.file("profile"))", origin.url("page.html").absoluteString])
        defer { browser.signal(SIGKILL) }
        let said = try await eventually("Chromium ends the stream \(url)", within: limit) {
            if let ending = browser.ending {
                throw HarnessError("chromium: \(ending): \(browser.errorText.suffix(2000))")
            }
            return try await origin.log().entries.first { $0.path.hasPrefix("/said/") }?.path
        }
        browser.signal(SIGTERM)
        _ = try? await browser.end(within: .seconds(10))
        // "/said/ended/FRAMES/BYTES-OF-SOUND/WIDTH"
        let words = said.split(separator: "/")
        guard words.count == 5, words[1] == "ended", let frames = Int(words[2]), let sound = Int(words[3]) else {
            throw HarnessError("Chromium, of \(url): \(said)")
        }
        return StreamPlayer.Playback(videoFrames: frames, hasSound: sound > 0)
    }

    /// Without `crossorigin`, Chromium plays no byte ranges of another site's file (error 4), through a cache or not.
    private static func html(source: String, rate: Int) -> String {
        """
        <!doctype html>
        <title>Player</title>
        <video crossorigin muted playsinline src="\(source)"></video>
        <script>
        const video = document.querySelector("video")
        const say = (...words) => { new Image().src = "/said/" + words.map(encodeURIComponent).join("/") }
        video.defaultPlaybackRate = video.playbackRate = \(rate)
        video.onended = () => say("ended", video.getVideoPlaybackQuality().totalVideoFrames,
            video.webkitAudioDecodedByteCount, video.videoWidth)
        video.onerror = () => say("error", video.error.code, video.error.message || "-")
        video.play().catch(error => say("refused", error.message))
        </script>
        """
    }
}
