extension MediaFormat {
    /// The speaker layout, such as `5.1(side)`, mostly in FFmpeg's notation; nil if the format doesn't define it.
    public var channelLayout: String? {
        switch codec {
        case .aac: advancedAudioLayout
        case .ac3: configuration.count >= 3 ? dolbyLayout(mode: configuration[1] >> 3, lfe: configuration[1] >> 2) : nil
        case .eac3: enhancedDolbyLayout
        default: channels == 1 ? "mono" : channels == 2 ? "stereo" : nil
        }
    }

    /// The layout of an AAC channel configuration (ISO/IEC 14496-3, 1.6.3.5).
    private var advancedAudioLayout: String? {
        guard let config = try? AudioSpecificConfig(record: configuration) else { return nil }
        switch config.channelConfiguration {
        case 1: return "mono"
        case 2: return "stereo"
        case 3: return "3.0"
        case 4: return "4.0"
        case 5: return "5.0"
        case 6: return "5.1"
        case 7: return "7.1(wide)"
        case 11: return "6.1(back)"
        case 12: return "7.1"
        default: return nil
        }
    }

    private var enhancedDolbyLayout: String? {
        guard configuration.count >= 5 else { return nil }
        // Dependent substreams add channels that the audio coding mode doesn't cover.
        guard configuration[4] >> 1 & 15 == 0 else { return channels == 8 ? "7.1" : nil }
        return dolbyLayout(mode: configuration[3] >> 1, lfe: configuration[3])
    }

    /// Returns the layout of an audio coding mode (TS 102 366, 4.4.2.3) with or without the low-frequency channel.
    private func dolbyLayout(mode: UInt8, lfe: UInt8) -> String {
        let hasLFE = lfe & 1 != 0
        switch mode & 7 {
        case 1: return hasLFE ? "1.1" : "mono"
        case 3: return hasLFE ? "3.1" : "3.0"
        case 4: return hasLFE ? "3.1(back)" : "3.0(back)"
        case 5: return hasLFE ? "4.1" : "4.0"
        case 6: return hasLFE ? "quad(side) + LFE" : "quad(side)"
        case 7: return hasLFE ? "5.1(side)" : "5.0(side)"
        default: return hasLFE ? "2.1" : "stereo"
        }
    }
}
