/// The tags that RFC 8216bis, section 4.4, defines, and the older cue tags found in the wild.
public enum PlaylistTag: String, Sendable, Hashable, CaseIterable {
    /// 4.4.1.1: the first line.
    case header = "EXTM3U"
    /// 4.4.1.2: the protocol version.
    case version = "EXT-X-VERSION"
    /// 4.4.2.1: every segment starts with an independent frame.
    case independentSegments = "EXT-X-INDEPENDENT-SEGMENTS"
    /// 4.4.2.2: where to start playing.
    case start = "EXT-X-START"
    /// 4.4.2.3: a variable.
    case define = "EXT-X-DEFINE"
    /// 4.4.3.1: the upper bound of segment durations.
    case targetDuration = "EXT-X-TARGETDURATION"
    /// 4.4.3.2: the number of the first segment.
    case mediaSequence = "EXT-X-MEDIA-SEQUENCE"
    /// 4.4.3.3: discontinuities before the first segment.
    case discontinuitySequence = "EXT-X-DISCONTINUITY-SEQUENCE"
    /// 4.4.3.4: nothing will be added.
    case endList = "EXT-X-ENDLIST"
    /// 4.4.3.5: VOD or EVENT.
    case playlistType = "EXT-X-PLAYLIST-TYPE"
    /// 4.4.3.6: each segment is one I-frame.
    case iFramesOnly = "EXT-X-I-FRAMES-ONLY"
    /// 4.4.3.7: the target duration of partial segments.
    case partInformation = "EXT-X-PART-INF"
    /// 4.4.3.8: what the server can do.
    case serverControl = "EXT-X-SERVER-CONTROL"
    /// 4.4.4.1: a segment's duration and title.
    case segment = "EXTINF"
    /// 4.4.4.2: a segment's bytes.
    case byteRange = "EXT-X-BYTERANGE"
    /// 4.4.4.3: a discontinuity before the segment.
    case discontinuity = "EXT-X-DISCONTINUITY"
    /// 4.4.4.4: how segments are encrypted.
    case key = "EXT-X-KEY"
    /// 4.4.4.5: the media initialization section.
    case map = "EXT-X-MAP"
    /// 4.4.4.6: the wall-clock time of the segment's first sample.
    case programDateTime = "EXT-X-PROGRAM-DATE-TIME"
    /// 4.4.4.7: the segment is absent.
    case gap = "EXT-X-GAP"
    /// 4.4.4.8: the approximate bit rate of the segments that follow.
    case bitrate = "EXT-X-BITRATE"
    /// 4.4.4.9: a partial segment.
    case part = "EXT-X-PART"
    /// 4.4.5.1: a range of time with attributes.
    case dateRange = "EXT-X-DATERANGE"
    /// 4.4.5.2: segments left out of a delta update.
    case skip = "EXT-X-SKIP"
    /// 4.4.5.3: a resource that will be needed.
    case preloadHint = "EXT-X-PRELOAD-HINT"
    /// 4.4.5.4: the state of another rendition.
    case renditionReport = "EXT-X-RENDITION-REPORT"
    /// 4.4.6.1: a rendition.
    case media = "EXT-X-MEDIA"
    /// 4.4.6.2: a variant stream.
    case streamInformation = "EXT-X-STREAM-INF"
    /// 4.4.6.3: an I-frame playlist.
    case iFrameStreamInformation = "EXT-X-I-FRAME-STREAM-INF"
    /// 4.4.6.4: session data.
    case sessionData = "EXT-X-SESSION-DATA"
    /// 4.4.6.5: a key to preload.
    case sessionKey = "EXT-X-SESSION-KEY"
    /// 4.4.6.6: where to ask which pathway to use.
    case contentSteering = "EXT-X-CONTENT-STEERING"
    /// Not of the RFC: an advertisement starts.
    case cueOut = "EXT-X-CUE-OUT"
    /// Not of the RFC: an advertisement goes on.
    case cueOutContinued = "EXT-X-CUE-OUT-CONT"
    /// Not of the RFC: an advertisement is over.
    case cueIn = "EXT-X-CUE-IN"
    /// Not of the RFC: an SCTE-35 message in Base64.
    case oatclsSCTE35 = "EXT-OATCLS-SCTE35"
    /// Not of the RFC: an SCTE-35 message as an attribute list.
    case scte35 = "EXT-SCTE35"
    /// Not of the RFC: an SCTE-35 message as an attribute list.
    case xSCTE35 = "EXT-X-SCTE35"
    /// Not of the RFC: an advertisement goes on.
    case cueSpan = "EXT-X-CUE-SPAN"

    /// The section of RFC 8216bis that defines the tag; 4.1 (unrecognized tags) for those outside it.
    public var section: String {
        switch self {
        case .header: "4.4.1.1"
        case .version: "4.4.1.2"
        case .independentSegments: "4.4.2.1"
        case .start: "4.4.2.2"
        case .define: "4.4.2.3"
        case .targetDuration: "4.4.3.1"
        case .mediaSequence: "4.4.3.2"
        case .discontinuitySequence: "4.4.3.3"
        case .endList: "4.4.3.4"
        case .playlistType: "4.4.3.5"
        case .iFramesOnly: "4.4.3.6"
        case .partInformation: "4.4.3.7"
        case .serverControl: "4.4.3.8"
        case .segment: "4.4.4.1"
        case .byteRange: "4.4.4.2"
        case .discontinuity: "4.4.4.3"
        case .key: "4.4.4.4"
        case .map: "4.4.4.5"
        case .programDateTime: "4.4.4.6"
        case .gap: "4.4.4.7"
        case .bitrate: "4.4.4.8"
        case .part: "4.4.4.9"
        case .dateRange: "4.4.5.1"
        case .skip: "4.4.5.2"
        case .preloadHint: "4.4.5.3"
        case .renditionReport: "4.4.5.4"
        case .media: "4.4.6.1"
        case .streamInformation: "4.4.6.2"
        case .iFrameStreamInformation: "4.4.6.3"
        case .sessionData: "4.4.6.4"
        case .sessionKey: "4.4.6.5"
        case .contentSteering: "4.4.6.6"
        case .cueOut, .cueOutContinued, .cueIn, .oatclsSCTE35, .scte35, .xSCTE35, .cueSpan: "4.1"
        }
    }
}
