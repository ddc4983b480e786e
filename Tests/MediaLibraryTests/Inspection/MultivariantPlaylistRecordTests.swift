import Testing

@testable import MediaLibrary

struct MultivariantPlaylistRecordTests {
    private static let playlist = """
        #EXTM3U
        #EXT-X-VERSION:12
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",LANGUAGE="en",ASSOC-LANGUAGE="en-GB",DEFAULT=YES,\
        AUTOSELECT=YES,CHANNELS="6",URI="audio.m3u8",CHARACTERISTICS="x.one,x.two",SAMPLE-RATE=48000,X-OWN="1"
        #EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="c",NAME="CC",INSTREAM-ID="CC1"
        #EXT-X-STREAM-INF:BANDWIDTH=2560000,AVERAGE-BANDWIDTH=2000000,CODECS="avc1.64001f,mp4a.40.2",\
        RESOLUTION=1280x720,FRAME-RATE=29.970,HDCP-LEVEL=NONE,VIDEO-RANGE=SDR,SCORE=1.5,AUDIO="a",\
        CLOSED-CAPTIONS="c",PATHWAY-ID="P",STABLE-VARIANT-ID="s",PROGRAM-ID=1
        video.m3u8
        #EXT-X-STREAM-INF:CLOSED-CAPTIONS=NONE
        #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=100000,URI="iframes.m3u8"
        #EXT-X-SESSION-DATA:DATA-ID="com.example.title",VALUE="A film",LANGUAGE="en"
        #EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI="skd://key",KEYFORMAT="com.apple.streamingkeydelivery",\
        KEYFORMATVERSIONS="1/2"
        #EXT-X-CONTENT-STEERING:SERVER-URI="/steering",PATHWAY-ID="P"
        """

    @Test func recordsAllAttributesOfVariants() throws {
        let json = try InspectJSON(of: Self.playlist, base: "https://h/a/b.m3u8")
        #expect(json["kind"] == "multivariant")
        #expect(
            json["variants"][0] == [
                "uri": "https://h/a/video.m3u8", "bandwidth": 2_560_000, "averageBandwidth": 2_000_000,
                "codecs": "avc1.64001f,mp4a.40.2", "supplementalCodecs": nil,
                "resolution": ["width": 1280, "height": 720], "frameRate": 29.97, "hdcpLevel": "NONE",
                "allowedCPC": nil, "videoRange": "SDR", "reqVideoLayout": nil, "score": 1.5, "audio": "a",
                "video": nil, "subtitles": nil, "closedCaptions": "c", "pathwayID": "P", "stableVariantID": "s",
                "otherAttributes": ["PROGRAM-ID": "1"],
            ])
        #expect(json["iFrameVariants"][0]["uri"] == "https://h/a/iframes.m3u8")
        #expect(json["iFrameVariants"][0].keys == json["variants"][0].keys)
    }

    @Test func recordsAbsentAttributesAsNull() throws {
        let variant = try InspectJSON(of: Self.playlist, base: "https://h/a/b.m3u8")["variants"][1]
        #expect(variant["uri"] == nil)
        #expect(variant["bandwidth"] == nil)
        #expect(variant["closedCaptions"] == "NONE")
    }

    @Test func recordsAllAttributesOfRenditions() throws {
        let json = try InspectJSON(of: Self.playlist)
        #expect(
            json["renditions"][0] == [
                "type": "AUDIO", "groupID": "a", "name": "English", "language": "en", "assocLanguage": "en-GB",
                "uri": "audio.m3u8", "default": true, "autoselect": true, "forced": false, "instreamID": nil,
                "bitDepth": nil, "sampleRate": 48000, "characteristics": "x.one,x.two", "channels": "6",
                "stableRenditionID": nil, "otherAttributes": ["X-OWN": "1"],
            ])
        #expect(json["renditions"][1]["uri"] == nil)
        #expect(json["renditions"][1]["instreamID"] == "CC1")
    }

    @Test func recordsSessionTags() throws {
        let json = try InspectJSON(of: Self.playlist, base: "https://h/a/b.m3u8")
        #expect(
            json["sessionData"] == [
                ["dataID": "com.example.title", "value": "A film", "uri": nil, "format": nil, "language": "en"]
            ])
        #expect(
            json["sessionKeys"] == [
                [
                    "method": "SAMPLE-AES", "uri": "skd://key", "iv": nil,
                    "keyFormat": "com.apple.streamingkeydelivery", "keyFormatVersions": "1/2",
                ]
            ])
        #expect(json["contentSteering"] == ["serverURI": "https://h/steering", "pathwayID": "P"])
    }
}
