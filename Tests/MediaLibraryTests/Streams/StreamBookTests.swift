import Foundation
import HLS
import MediaCache
import MediaLibrary
import Testing

struct StreamBookTests {
    private let book = StreamBook()
    private let url: ResourceURL

    init() throws { url = try ResourceURL("http://origin.example/s/index.m3u8") }

    private func playlist(_ text: String, at url: ResourceURL? = nil) -> LoadedPlaylist {
        let head = ResourceHead(
            length: nil, contentType: "application/vnd.apple.mpegurl", validator: Validator(),
            validatedAt: .distantPast,
            entityTag: "\"1\"")
        return LoadedPlaylist(bytes: Array(text.utf8), head: head, url: url ?? self.url, kind: .media)
    }

    private func segment(_ name: String) throws -> ResourceURL { try ResourceURL("http://origin.example/s/\(name)") }

    @Test func theNextSegmentsFollow() throws {
        book.note(playlist(SamplePlaylist.onDemand))
        let place = try #require(book.place(of: try segment("a.ts")))
        #expect(place.isWholeResource)
        #expect(place.sequence == nil)
        #expect(book.following(place, count: 1) == [try segment("b.ts")])
        #expect(book.following(place, count: 9) == [try segment("b.ts"), try segment("c.ts")])
        #expect(book.place(of: try segment("d.ts")) == nil)
        #expect(book.place(of: url) == nil)
    }

    @Test func gapsAndByteRangesAreNoWholeResources() throws {
        book.note(
            playlist(
                """
                #EXTM3U
                #EXT-X-TARGETDURATION:6
                #EXTINF:6,
                a.ts
                #EXTINF:6,
                #EXT-X-GAP
                gone.ts
                #EXTINF:6,
                #EXT-X-BYTERANGE:100@0
                all.ts
                #EXTINF:6,
                z.ts
                #EXT-X-ENDLIST
                """))
        let place = try #require(book.place(of: try segment("a.ts")))
        #expect(book.following(place, count: 3) == [try segment("z.ts")])
        #expect(book.place(of: try segment("all.ts"))?.isWholeResource == false)
    }

    @Test func aNameUnderAnotherSequenceIsNotConfirmed() throws {
        let name = try segment("a.ts")
        book.note(playlist(SamplePlaylist.live(from: 10, "a.ts", "b.ts")))
        let first = try #require(book.place(of: name))
        #expect(first.sequence?.number == 10)
        #expect(!book.isConfirmed(name, at: first))
        book.confirm(name, at: first)
        #expect(book.isConfirmed(name, at: first))
        // The window moves on; the name means the same segment as long as its number stays.
        book.note(playlist(SamplePlaylist.live(from: 9, "z.ts", "a.ts")))
        #expect(book.isConfirmed(name, at: try #require(book.place(of: name))))
        book.note(playlist(SamplePlaylist.live(from: 0, "a.ts")))
        #expect(!book.isConfirmed(name, at: try #require(book.place(of: name))))
    }

    @Test func whatIsCountedAnewIsNotConfirmed() throws {
        let name = try segment("a.ts")
        book.note(playlist(SamplePlaylist.live(from: 0, "a.ts", "b.ts")))
        book.confirm(name, at: try #require(book.place(of: name)))
        book.note(playlist(SamplePlaylist.live(from: 5, "c.ts", "d.ts")))
        book.note(playlist(SamplePlaylist.live(from: 0, "a.ts", "b.ts")))
        #expect(!book.isConfirmed(name, at: try #require(book.place(of: name))))
    }

    @Test func partialSegmentsHaveNumbersOfTheirOwn() throws {
        book.note(
            playlist(
                """
                #EXTM3U
                #EXT-X-TARGETDURATION:4
                #EXT-X-PART-INF:PART-TARGET=1
                #EXT-X-MEDIA-SEQUENCE:7
                #EXT-X-PART:DURATION=1,URI="7.1.mp4"
                #EXT-X-PART:DURATION=1,URI="7.2.mp4"
                #EXTINF:2,
                7.mp4
                #EXT-X-PART:DURATION=1,URI="8.1.mp4"
                """))
        #expect(book.place(of: try segment("7.2.mp4"))?.sequence == .init(number: 7, part: 2))
        #expect(book.place(of: try segment("7.mp4"))?.sequence == .init(number: 7, part: 0))
        #expect(book.place(of: try segment("8.1.mp4"))?.sequence == .init(number: 8, part: 1))
    }

    @Test func variablesAreSubstituted() throws {
        let text = """
            #EXTM3U
            #EXT-X-DEFINE:IMPORT="host"
            #EXTINF:6,
            http://{$host}/x/a.ts
            #EXTINF:6,
            http://{$host}/x/b.ts
            #EXT-X-ENDLIST
            """
        book.note(playlist(text), variables: ["host": "cdn.example"])
        let place = try #require(book.place(of: try ResourceURL("http://cdn.example/x/a.ts")))
        #expect(book.following(place, count: 1) == [try ResourceURL("http://cdn.example/x/b.ts")])
    }

    @Test func onlyTheLastPlaylistsAreRemembered() throws {
        for number in 0..<40 {
            let text = "#EXTM3U\n#EXTINF:6,\n\(number).ts\n#EXT-X-ENDLIST\n"
            book.note(playlist(text, at: try ResourceURL("http://origin.example/s/\(number).m3u8")))
        }
        #expect(book.place(of: try segment("0.ts")) == nil)
        #expect(book.place(of: try segment("39.ts")) != nil)
    }
}
