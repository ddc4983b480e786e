/// Sample playlists that together contain nearly every tag.
enum SamplePlaylists {
    static let all = [media, lowLatency, delta, multivariant, iFrames]

    static let media = """
        #EXTM3U
        #EXT-X-VERSION:8
        #EXT-X-DEFINE:NAME="host",VALUE="https://media.example.com"
        #EXT-X-INDEPENDENT-SEGMENTS
        #EXT-X-START:TIME-OFFSET=-12.5,PRECISE=YES
        #EXT-X-TARGETDURATION:10
        #EXT-X-MEDIA-SEQUENCE:7
        #EXT-X-DISCONTINUITY-SEQUENCE:2
        #EXT-X-PLAYLIST-TYPE:EVENT
        #EXT-X-KEY:METHOD=AES-128,URI="{$host}/k1",IV=0x000102030405060708090A0B0C0D0E0F
        #EXT-X-MAP:URI="init.mp4",BYTERANGE="720@0"
        #EXT-X-PROGRAM-DATE-TIME:2024-03-01T12:00:00.250Z
        #EXT-X-BITRATE:800
        #EXTINF:9.009,first
        #EXT-X-BYTERANGE:1000@720
        all.mp4
        #EXTINF:9.009,
        #EXT-X-BYTERANGE:2000
        all.mp4
        #EXT-X-DISCONTINUITY
        #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://k2",KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1"
        #EXT-X-DATERANGE:ID="ad",CLASS="com.apple.hls.interstitial",START-DATE="2024-03-01T12:00:18Z",X-ASSET-URI="ad.m3u8"
        #EXT-X-CUE-OUT:30
        #EXTINF:10,
        {$host}/a.ts
        #EXT-X-KEY:METHOD=NONE
        #EXT-X-CUE-IN
        #EXT-X-GAP
        #EXTINF:4,
        gone.ts
        #EXT-X-VENDOR:A=1
        #EXTINF:-1 tvg-id="x,y",Channel
        b.ts
        #EXT-X-ENDLIST

        """

    static let lowLatency = """
        #EXTM3U
        #EXT-X-VERSION:9
        #EXT-X-TARGETDURATION:4
        #EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.02,CAN-SKIP-UNTIL=24
        #EXT-X-PART-INF:PART-TARGET=0.34
        #EXT-X-MEDIA-SEQUENCE:100
        #EXT-X-MAP:URI="init.mp4"
        #EXT-X-PROGRAM-DATE-TIME:2024-03-01T12:00:00Z
        #EXTINF:4,
        s100.mp4
        #EXT-X-PART:DURATION=2,URI="s101.0.mp4",INDEPENDENT=YES
        #EXT-X-PART:DURATION=2,URI="s101.1.mp4",BYTERANGE="100@0"
        #EXTINF:4,
        s101.mp4
        #EXT-X-PART:DURATION=0.34,URI="s102.0.mp4",GAP=YES
        #EXT-X-PRELOAD-HINT:TYPE=PART,URI="s102.1.mp4",BYTERANGE-START=0
        #EXT-X-RENDITION-REPORT:URI="../low/live.m3u8",LAST-MSN=101,LAST-PART=1

        """

    static let delta = """
        #EXTM3U
        #EXT-X-VERSION:10
        #EXT-X-TARGETDURATION:4
        #EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=24,CAN-SKIP-DATERANGES=YES
        #EXT-X-MEDIA-SEQUENCE:100
        #EXT-X-SKIP:SKIPPED-SEGMENTS=2,RECENTLY-REMOVED-DATERANGES="a\tb"
        #EXTINF:4,
        s102.mp4

        """

    static let multivariant = """
        #EXTM3U
        #EXT-X-VERSION:12
        #EXT-X-DEFINE:QUERYPARAM="token"
        #EXT-X-DEFINE:NAME="cdn",VALUE="//cdn"
        #EXT-X-CONTENT-STEERING:SERVER-URI="/steer",PATHWAY-ID="A"
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="aac",NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2",URI="{$cdn}/en.m3u8"
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="aac",NAME="Deutsch",LANGUAGE="de-CH",AUTOSELECT=YES,URI="de.m3u8"
        #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subs",NAME="English",LANGUAGE="en",FORCED=NO,URI="subs.m3u8"
        #EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="cc",NAME="CC",INSTREAM-ID="SERVICE1"
        #EXT-X-STREAM-INF:BANDWIDTH=1280000,AVERAGE-BANDWIDTH=1000000,CODECS="avc1.4d401f,mp4a.40.2",RESOLUTION=640x360,FRAME-RATE=25,AUDIO="aac",SUBTITLES="subs",CLOSED-CAPTIONS="cc",PATHWAY-ID="A"
        low.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=5000000,CODECS="hvc1.2.4.L123.B0,mp4a.40.2",RESOLUTION=1920x1080,REQ-VIDEO-LAYOUT="CH-STEREO",CLOSED-CAPTIONS=NONE
        high.m3u8
        #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=90000,URI="iframes.m3u8"
        #EXT-X-SESSION-DATA:DATA-ID="com.example.title",VALUE="Title",LANGUAGE="en"
        #EXT-X-SESSION-KEY:METHOD=AES-128,URI="key"
        #EXT-X-VENDOR

        """

    static let iFrames = """
        #EXTM3U
        #EXT-X-VERSION:5
        #EXT-X-TARGETDURATION:6
        #EXT-X-I-FRAMES-ONLY
        #EXT-X-MAP:URI="init.mp4"
        #EXTINF:6,
        #EXT-X-BYTERANGE:9400@376
        s.mp4
        #EXT-X-ENDLIST

        """
}
