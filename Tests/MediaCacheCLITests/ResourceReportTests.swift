import ArgumentParser
import Foundation
import MediaCacheAPI
import MediaCacheServer
import MediaLibrary
import Testing

@testable import MediaCacheCLI

struct ResourceReportTests {
    private func resource(
        length: Int64? = 1000, spans: [(Int64, Int64)] = [], complete: Bool = false, url: String = "http://h/film.mp4"
    ) throws -> ResourceRecord {
        let cached = spans.reduce(0) { $0 + $1.1 - $1.0 }
        let spanText = spans.map { #"{"start":\#($0.0),"end":\#($0.1)}"# }.joined(separator: ",")
        let json = """
            {"id":7,"url":"\(url)","key":"\(url)","type":"video/mp4","format":"mp4",\
            "length":\(length.map { "\($0)" } ?? "null"),"spans":[\(spanText)],"fills":[],"bytesCached":\(cached),"hits":3,\
            "created":"2026-01-02T03:04:05Z","lastUsed":"2026-01-02T03:04:06Z","complete":\(complete),\
            "pinned":false,"inUse":true,"withCredentials":false}
            """
        return try APICoding.makeDecoder().decode(ResourceRecord.self, from: Data(json.utf8))
    }

    @Test func holesComplementSpans() throws {
        #expect(try resource(spans: [(100, 200), (300, 400)]).holes == [0...99, 200...299, 400...999])
        #expect(try resource(spans: [(0, 1000)], complete: true).holes == [])
        #expect(try resource(length: nil, spans: [(0, 10)]).holes == [])
    }

    @Test func partialResourceIsBelow100Percent() throws {
        let table = ResourceReport.table([try resource(spans: [(0, 999)])])
        #expect(table.contains(" 99% "))
        #expect(ResourceReport.table([try resource(spans: [(0, 1000)], complete: true)]).contains(" 100% "))
    }

    @Test func tableHasHeadings() throws {
        let lines = ResourceReport.table([try resource(spans: [(0, 500)])]).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("ID  CACHED") && lines[1].hasPrefix(" 7  "))
        #expect(lines[1].hasSuffix("in use  http://h/film.mp4"))
        #expect(lines[1].contains("2026-01-02 03:04:06"))
    }

    @Test func describesEmptyCache() {
        #expect(ResourceReport.table([]) == "The cache is empty.")
    }

    private func asset(_ values: String) throws -> AssetRecord {
        let json = """
            {"id":"unthcxm3we45","url":"http://h/film.mp4","withCredentials":false,"isLengthExact":true,"holeCount":0,\
            "created":"2026-01-02T03:04:05Z","plays":0,"libraryURL":"http://h/library/unthcxm3we45/"\(values)}
            """
        return try APICoding.makeDecoder().decode(AssetRecord.self, from: Data(json.utf8))
    }

    @Test func detailsListKnownMetadata() throws {
        let song = try asset(
            #","title":"Song","artist":"Anna","albumArtist":"Anna","track":3,"trackCount":12,"description":"a\nb""#)
        let lines = ResourceReport.details(try resource(), of: song).split(separator: "\n").prefix(5)
        #expect(
            lines.map { $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ") } == [
                "Title Song", "Artist Anna", "Track 3 of 12", "Description a b", "ID 7",
            ])
    }

    @Test func listHasArtistsIfAny() throws {
        let song = LibraryItem(try asset(#","title":"Song","artist":"Anna""#))
        let film = LibraryItem(try asset(#","title":"Film""#))
        #expect(ItemReport.table([song, film]).contains("ARTIST"))
        #expect(ItemReport.table([song, film]).contains("Anna"))
        #expect(!ItemReport.table([film]).contains("ARTIST"))
    }

    /// An ended recording has neither a size nor a length.
    @Test func listShowsEndedRecordingAsComplete() throws {
        let recording = LibraryItem(try asset(#","kind":"stream","title":"news","isRecorded":true,"duration":60"#))
        #expect(recording.complete)
        let row = try #require(ItemReport.table([recording]).split(separator: "\n").last)
        #expect(row.contains(" 100% ") && row.contains(" ended "), "\(row)")
    }

    @Test func detailsListSpans() throws {
        var many: [(Int64, Int64)] = []
        for start: Int64 in stride(from: 0, to: 1000, by: 100) { many.append((start, start + 50)) }
        let text = ResourceReport.details(try resource(spans: many))
        #expect(text.contains("0–49, 100–149"))
        #expect(text.contains("and 2 more"))
    }

    @Test func countsMissingKeys() throws {
        func details(missing: String) throws -> String {
            let json = """
                {"playlists":[{"url":"http://h/a","role":"media","isCached":true,"segments":2,"segmentsCached":2,\
                "missing":[\(missing)]}],"playsWithoutOrigin":false}
                """
            var resource = try resource()
            resource.stream = try APICoding.makeDecoder().decode(StreamStatus.self, from: Data(json.utf8))
            return ResourceReport.details(resource)
        }
        #expect(try details(missing: #""k""#).contains(" 1 key or initialization section missing "))
        #expect(try details(missing: #""k","i""#).contains(" 2 keys or initialization sections missing "))
        #expect(try !details(missing: "").contains("missing"))
    }

    @Test func jsonHasDocumentedKeys() throws {
        let text = try JSONOutput.text([try resource(spans: [(0, 500)])])
        let objects = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
        let keys = try #require(objects.first).keys.sorted()
        let documented = [
            "bytesCached", "complete", "created", "fills", "format", "hits", "id", "inUse", "key", "lastUsed", "length",
            "pinned", "spans", "type", "url", "withCredentials",
        ]
        #expect(keys == documented)
        for key in documented { #expect(ListCommand.configuration.discussion.contains(key)) }
        #expect(text.contains("http://h/film.mp4"))
    }
}
