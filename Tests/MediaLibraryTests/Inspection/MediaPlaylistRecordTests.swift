import Testing

@testable import MediaLibrary

struct MediaPlaylistRecordTests {
    @Test func recordsPlaylistTags() throws {
        let json = try InspectJSON(
            of: """
                #EXTM3U
                #EXT-X-VERSION:9
                #EXT-X-INDEPENDENT-SEGMENTS
                #EXT-X-START:TIME-OFFSET=-12.5,PRECISE=YES
                #EXT-X-DEFINE:NAME="host",VALUE="cdn.example"
                #EXT-X-TARGETDURATION:4
                #EXT-X-MEDIA-SEQUENCE:7
                #EXT-X-DISCONTINUITY-SEQUENCE:2
                #EXT-X-PLAYLIST-TYPE:EVENT
                #EXT-X-PART-INF:PART-TARGET=0.334
                #EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=24,PART-HOLD-BACK=1.002
                #EXT-X-SKIP:SKIPPED-SEGMENTS=3,RECENTLY-REMOVED-DATERANGES="a\tb"
                #EXTINF:4,
                https://{$host}/1.mp4
                #EXT-X-PRELOAD-HINT:TYPE=PART,URI="2.mp4",BYTERANGE-START=100
                #EXT-X-RENDITION-REPORT:URI="../b.m3u8",LAST-MSN=10,LAST-PART=1
                """)
        #expect(json["kind"] == "media")
        #expect(json["version"] == 9)
        #expect(json["independentSegments"] == true)
        #expect(json["start"] == ["timeOffset": -12.5, "precise": true])
        #expect(json["variables"] == ["host": "cdn.example"])
        #expect(json["targetDuration"] == 4)
        #expect(json["mediaSequence"] == 7)
        #expect(json["discontinuitySequence"] == 2)
        #expect(json["playlistType"] == "EVENT")
        #expect(json["endList"] == false)
        #expect(json["partTarget"] == 0.334)
        #expect(
            json["serverControl"] == [
                "canBlockReload": true, "canSkipUntil": 24, "canSkipDateRanges": false, "holdBack": nil,
                "partHoldBack": 1.002,
            ])
        #expect(json["skip"] == ["skippedSegments": 3, "recentlyRemovedDateRanges": ["a", "b"]])
        #expect(json["segments"][0]["uri"] == "https://cdn.example/1.mp4")
        #expect(json["segments"][0]["mediaSequence"] == 10)
        #expect(
            json["preloadHints"] == [["type": "PART", "uri": "2.mp4", "byteRangeStart": 100, "byteRangeLength": nil]])
        #expect(json["renditionReports"] == [["uri": "../b.m3u8", "lastMSN": 10, "lastPart": 1]])
    }

    @Test func computesValuesFromPositions() throws {
        let json = try InspectJSON(
            of: """
                #EXTM3U
                #EXT-X-TARGETDURATION:10
                #EXT-X-MAP:URI="all.mp4",BYTERANGE="100@0"
                #EXT-X-KEY:METHOD=AES-128,URI="key",IV=0x0123456789ABCDEF0123456789abcdef
                #EXT-X-PROGRAM-DATE-TIME:2024-01-01T12:00:00+01:00
                #EXT-X-BITRATE:800
                #EXT-X-BYTERANGE:50@100
                #EXTINF:9.009,One
                all.mp4
                #EXT-X-BYTERANGE:60
                #EXTINF:9.5,
                all.mp4
                #EXT-X-DISCONTINUITY
                #EXT-X-GAP
                #EXT-X-KEY:METHOD=NONE
                #EXTINF:10,
                other.mp4
                """)
        let segments = json["segments"]
        #expect(segments[0]["title"] == "One")
        #expect(segments[0]["duration"] == 9.009)
        #expect(segments[0]["byteRange"] == ["length": 50, "offset": 100])
        #expect(segments[1]["byteRange"] == ["length": 60, "offset": 150])
        #expect(segments[2]["byteRange"] == nil)
        #expect(segments[0]["map"] == ["uri": "all.mp4", "byteRange": ["length": 100, "offset": 0]])
        #expect(
            segments[1]["keys"] == [
                [
                    "method": "AES-128", "uri": "key", "iv": "0x0123456789ABCDEF0123456789abcdef", "keyFormat": nil,
                    "keyFormatVersions": nil,
                ]
            ])
        #expect(segments[2]["keys"][0]["method"] == "NONE")
        #expect(segments[0]["programDateTime"] == "2024-01-01T12:00:00+01:00")
        #expect(segments[1]["programDateTime"] == "2024-01-01T11:00:09.009Z")
        #expect(segments[2]["bitrate"] == 800)
        #expect(segments.array.map { $0["discontinuitySequence"] } == [0, 0, 1])
        #expect(segments.array.map { $0["discontinuity"] } == [false, false, true])
        #expect(segments.array.map { $0["gap"] } == [false, false, true])
        #expect(segments.array.map { $0["mediaSequence"] } == [0, 1, 2])
    }

    @Test func continuesPartRangesAcrossSegments() throws {
        let json = try InspectJSON(
            of: """
                #EXTM3U
                #EXT-X-VERSION:6
                #EXT-X-TARGETDURATION:2
                #EXT-X-PART-INF:PART-TARGET=1
                #EXT-X-PART:DURATION=1,URI="a.mp4",BYTERANGE="10@5",INDEPENDENT=YES
                #EXTINF:2,
                1.mp4
                #EXT-X-PART:DURATION=1,URI="a.mp4",BYTERANGE="20"
                #EXT-X-PART:DURATION=0.5,URI="b.mp4",GAP=YES
                #EXTINF:2,
                2.mp4
                """)
        #expect(
            json["segments"][0]["parts"] == [
                [
                    "uri": "a.mp4", "duration": 1, "independent": true, "gap": false,
                    "byteRange": ["length": 10, "offset": 5],
                ]
            ])
        #expect(json["segments"][1]["parts"][0]["byteRange"] == ["length": 20, "offset": 15])
        #expect(
            json["segments"][1]["parts"][1] == [
                "uri": "b.mp4", "duration": 0.5, "independent": false, "gap": true, "byteRange": nil,
            ])
    }

    @Test func recordsAllAttributesOfDateRanges() throws {
        let json = try InspectJSON(
            of: """
                #EXTM3U
                #EXT-X-TARGETDURATION:10
                #EXT-X-DATERANGE:ID="ad",CLASS="com.apple.hls.interstitial",START-DATE="2024-01-01T00:00:00Z",\
                PLANNED-DURATION=30.5,CUE="PRE,ONCE",SCTE35-OUT=0xFC,X-ASSET-URI="ad.m3u8",X-RESUME-OFFSET=0
                #EXTINF:10,
                1.ts
                """, base: "https://h/a/b.m3u8")
        #expect(
            json["dateRanges"] == [
                [
                    "id": "ad", "class": "com.apple.hls.interstitial", "startDate": "2024-01-01T00:00:00Z",
                    "endDate": nil, "duration": nil, "plannedDuration": 30.5, "endOnNext": false, "scte35Cmd": nil,
                    "scte35Out": "0xFC", "scte35In": nil, "cue": "PRE,ONCE",
                    "otherAttributes": ["X-ASSET-URI": "https://h/a/ad.m3u8", "X-RESUME-OFFSET": "0"],
                ]
            ])
    }

    @Test func listsUnknownTagsByLine() throws {
        let json = try InspectJSON(
            of: """
                #EXTM3U
                #EXT-X-ALLOW-CACHE:YES
                #EXT-X-TARGETDURATION:10
                #EXT-X-CUE-OUT:30
                #EXT-OWN
                #EXTINF:10,
                1.ts
                #EXT-X-CUE-IN
                """)
        #expect(
            json["unknownTags"] == [
                ["line": 2, "tag": "EXT-X-ALLOW-CACHE", "value": "YES"],
                ["line": 4, "tag": "EXT-X-CUE-OUT", "value": "30"],
                ["line": 5, "tag": "EXT-OWN", "value": nil],
                ["line": 8, "tag": "EXT-X-CUE-IN", "value": nil],
            ])
    }

    @Test func listsDiagnosticsByLineWithRules() throws {
        let json = try InspectJSON(of: "#EXTM3U\n#EXTINF:12.5\n1.ts\n")
        let found = json["diagnostics"].array.map { [$0["line"], $0["severity"], $0["rule"]] }
        #expect(
            found == [[0, "error", "4.4.3.1-missing"], [0, "error", "8-version"], [2, "error", "4.4.4.1-comma"]])
        #expect(json["diagnostics"][2]["message"].string?.isEmpty == false)
    }

    @Test func resolvesReferencesAgainstKnownBase() throws {
        let playlist = """
            #EXTM3U
            #EXT-X-TARGETDURATION:10
            #EXT-X-MAP:URI="/init.mp4"
            #EXT-X-KEY:METHOD=AES-128,URI="//keys.example/k"
            #EXTINF:10,
            ../1.ts?a=b
            """
        let written = try InspectJSON(of: playlist)["segments"][0]
        #expect(written["uri"] == "../1.ts?a=b")
        let resolved = try InspectJSON(of: playlist, base: "https://h/a/b/c.m3u8")["segments"][0]
        #expect(resolved["uri"] == "https://h/a/1.ts?a=b")
        #expect(resolved["map"]["uri"] == "https://h/init.mp4")
        #expect(resolved["keys"][0]["uri"] == "https://keys.example/k")
    }

    @Test func recordsPartsOfUpcomingSegment() throws {
        let json = try InspectJSON(
            of: """
                #EXTM3U
                #EXT-X-TARGETDURATION:4
                #EXT-X-PART-INF:PART-TARGET=1
                #EXT-X-PART:DURATION=1,URI="a.mp4",BYTERANGE="10@5"
                #EXTINF:1,
                a.mp4
                #EXT-X-PART:DURATION=1,URI="b.mp4",BYTERANGE="10@0"
                #EXT-X-PART:DURATION=1,URI="b.mp4",BYTERANGE="20"

                """, base: "http://h/x/")
        #expect(json["segments"].array.count == 1)
        #expect(json["parts"].array.map { $0["uri"] } == ["http://h/x/b.mp4", "http://h/x/b.mp4"])
        #expect(json["parts"][1]["byteRange"] == ["length": 20, "offset": 10])
        #expect(try InspectJSON(of: "#EXTM3U\n#EXTINF:1,\na.ts\n")["parts"] == [])
    }
}
