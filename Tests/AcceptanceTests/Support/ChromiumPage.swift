import Foundation

/// A page that plays streams in Chromium with plain `<video>` elements, and reports the end of each by a request to its
/// own origin.
enum ChromiumPage {
    /// Plays a whole stream at `rate` times normal speed.
    static func play(_ url: URL, rate: Int, within limit: Duration) async throws -> StreamPlayer.Playback {
        guard let playback = try await play([url], rate: rate, within: limit).first else {
            throw HarnessError("Chromium played nothing")
        }
        return playback
    }

    static func play(
        _ urls: [URL], rate: Int, within limit: Duration = .seconds(60)
    ) async throws -> [StreamPlayer.Playback] {
        let folder = try TemporaryFolder("page")
        try html(sources: urls.map(\.absoluteString), rate: rate)
            .write(toFile: folder.file("page.html"), atomically: true, encoding: .utf8)
        let origin = try await NginxOrigin(serving: folder.path)
        let browser = try ChildProcess(
            Peer.required("chromium"),
            ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage"]
                + ["--disable-background-networking", "--autoplay-policy=no-user-gesture-required"]
                + ["--user-data-dir=\(folder.file("profile"))", origin.url("page.html").absoluteString])
        defer { browser.signal(SIGKILL) }
        let reports = try await eventually("Chromium has played \(urls)", within: limit) {
            if let ending = browser.ending {
                throw HarnessError("chromium: \(ending): \(browser.errorText.suffix(2000))")
            }
            let paths = try await origin.log().entries.map(\.path).filter { $0.hasPrefix("/report/") }
            return Set(paths.compactMap { $0.split(separator: "/").dropFirst().first }).count == urls.count
                ? paths : nil
        }
        browser.signal(SIGTERM)
        _ = try? await browser.end(within: .seconds(10))
        // "/report/INDEX/ended/FRAMES/AUDIO-BYTES/WIDTH"
        return try urls.enumerated().map { index, url in
            let path = reports.first { $0.hasPrefix("/report/\(index)/") } ?? ""
            let words = path.split(separator: "/")
            guard words.count == 6, words[2] == "ended", let frames = Int(words[3]), let sound = Int(words[4]) else {
                throw HarnessError("Chromium, of \(url): \(path)")
            }
            return StreamPlayer.Playback(videoFrames: frames, hasAudio: sound > 0)
        }
    }

    /// Returns the page. Without `crossorigin`, Chromium refuses to play byte ranges of another site's file (error 4).
    private static func html(sources: [String], rate: Int) -> String {
        """
        <!doctype html>
        <title>Player</title>
        \(sources.map { "<video crossorigin muted playsinline src=\"\($0)\"></video>" }.joined(separator: "\n"))
        <script>
        document.querySelectorAll("video").forEach((video, index) => {
            const say = (...words) => {
                new Image().src = "/report/" + index + "/" + words.map(encodeURIComponent).join("/")
            }
            video.defaultPlaybackRate = video.playbackRate = \(rate)
            video.onended = () => say("ended", video.getVideoPlaybackQuality().totalVideoFrames,
                video.webkitAudioDecodedByteCount, video.videoWidth)
            video.onerror = () => say("error", video.error.code, video.error.message || "-")
            video.play().catch(error => say("refused", error.message))
        })
        </script>
        """
    }
}
