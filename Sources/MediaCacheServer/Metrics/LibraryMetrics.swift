import Foundation
import MediaCacheAPI
import MediaLibrary

/// The metrics of downloads and recordings. Channel names are label values, since the user chose them; URLs aren't.
struct LibraryMetrics {
    let downloads: [DownloadStatus]
    let channels: [RecordingStatus]

    init(_ downloads: Downloads?, _ recordings: Recordings?) async {
        self.downloads = await downloads?.statuses() ?? []
        channels = await recordings?.statuses() ?? []
    }

    func write(to text: inout MetricsText) {
        let states = Dictionary(
            grouping: downloads.compactMap { $0.asset.download.map { DownloadRecord.State($0.state) } }
        ) { $0 }
        text.add(
            "downloads", "Downloads by state.", type: "gauge",
            samples: DownloadRecord.State.allCases.map {
                ("state=\"\($0.rawValue)\"", Double(states[$0]?.count ?? 0))
            })
        text.gauge(
            "download_bytes_per_second", "The total rate of all downloads.",
            downloads.reduce(0) { $0 + $1.progress.rate })
        let kinds = Dictionary(grouping: channels) { ChannelRecord.State($0.state) }
        text.add(
            "channels", "Channels by state.", type: "gauge",
            samples: ChannelRecord.State.allCases.map { ("state=\"\($0.rawValue)\"", Double(kinds[$0]?.count ?? 0)) })
        add("channel_up", "1 while the channel is being recorded.", to: &text) { $0.state == .recording ? 1 : 0 }
        add("channel_edge_timestamp_seconds", "The live edge, in seconds since 1970.", to: &text) {
            $0.edge?.timeIntervalSince1970
        }
        add("channel_bytes", "Recorded bytes of the channel.", to: &text) { Double($0.bytes) }
        add("channel_gaps", "Gaps in the channel's recording, on the track with the most.", to: &text) {
            Double($0.gaps)
        }
        add("channel_gap_seconds", "Total seconds of all gaps, on the track where they are longest.", to: &text) {
            $0.gapSeconds
        }
    }

    private func add(
        _ name: String, _ help: String, to text: inout MetricsText, value: (RecordingStatus) -> Double?
    ) {
        let samples = channels.compactMap { status in
            value(status).map { (labels: "channel=\"\(status.channel.name.rawValue)\"", value: $0) }
        }
        guard !samples.isEmpty else { return }
        text.add(name, help, type: "gauge", samples: samples)
    }
}
