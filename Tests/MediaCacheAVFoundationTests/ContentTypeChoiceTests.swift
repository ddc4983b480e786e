import MediaCache
import Testing

@testable import MediaCacheAVFoundation

struct ContentTypeChoiceTests {
    private func identifier(
        of mediaType: String, sniffed: String? = nil, at pathExtension: String = "", allowing allowed: [String] = []
    ) throws -> String? {
        let choice = ContentTypeChoice(allowed: allowed) { ScriptedTypes.identifiers[$0] ?? [] }
        return try choice.identifier(of: mediaType, sniffed: sniffed, pathExtension: pathExtension, "a resource")
    }

    @Test func prefersMediaTypeToExtension() throws {
        #expect(try identifier(of: "video/mp4", at: "m4v") == "public.mpeg-4")
        #expect(try identifier(of: "Video/MP4; codecs=\"avc1.640028\"") == "public.mpeg-4")
    }

    @Test func usesExtensionForUnknownMediaType() throws {
        #expect(try identifier(of: "video/x-unknown", at: "m4v") == "com.apple.m4v-video")
        #expect(try identifier(of: "application/octet-stream", at: "mp3") == "public.mp3")
    }

    @Test func usesSniffedTypeForUnknownMediaType() throws {
        #expect(try identifier(of: "audio/x-unknown", sniffed: "video/mp4") == "public.mpeg-4")
        #expect(try identifier(of: "audio/x-unknown", sniffed: "audio/mpeg", at: "php") == "public.mp3")
    }

    @Test func returnsNilForUnknownType() throws {
        #expect(try identifier(of: "application/octet-stream") == nil)
        #expect(try identifier(of: "video/x-matroska", sniffed: "video/x-matroska", at: "mkv") == nil)
    }

    @Test func returnsFirstAllowedIdentifier() throws {
        #expect(try identifier(of: "audio/mpeg", allowing: ["public.mpeg-audio"]) == "public.mpeg-audio")
        #expect(try identifier(of: "audio/mp4", at: "m4a", allowing: ["com.apple.m4a-audio"]) == "com.apple.m4a-audio")
        #expect(try identifier(of: "video/mp4", at: "m4v", allowing: ["com.apple.m4v-video"]) == "com.apple.m4v-video")
    }

    @Test func throwsWithoutAllowedIdentifier() {
        #expect {
            try identifier(of: "video/mp4", at: "mp4", allowing: ["com.apple.quicktime-movie", "public.mp3"])
        } throws: { error in
            guard let error = error as? CacheError else { return false }
            return error.code == .notMedia && error.message.contains("com.apple.quicktime-movie, public.mp3")
        }
    }
}
