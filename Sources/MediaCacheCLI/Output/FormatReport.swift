import Foundation
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// The rendering of the formats of a URL, from which `get` selects.
enum FormatReport {
    static func text(_ record: ProbeRecord) -> String {
        let probe = record.probe
        let duration = probe.duration.map { ", \(DurationText.describe(.seconds($0)))" } ?? ""
        let length = probe.length.map { ", \(probe.isLengthExact ? "" : "about ")\(ByteCount($0))" } ?? ""
        let kind = probe.kind == .file ? "file" : probe.isLive ? "live stream" : "stream"
        var sections = [
            Table.printable("\(record.title ?? probe.url): \(kind), \(probe.type)\(duration)\(length)")
        ]
        if !probe.variants.isEmpty { sections.append(variants(probe.variants)) }
        if !probe.audio.isEmpty { sections.append(renditions(probe.audio, "AUDIO")) }
        if !probe.subtitles.isEmpty { sections.append(renditions(probe.subtitles, "SUBTITLES")) }
        return (sections + probe.notes.map(Table.printable)).joined(separator: "\n")
    }

    private static func variants(_ variants: [MediaProbe.Variant]) -> String {
        var table = Table([
            .init("VARIANT"), .init("SIZE"), .init("FPS", .right), .init("BIT RATE", .right), .init("LENGTH", .right),
            .init("CODECS"),
        ])
        for variant in variants {
            table.add([
                variant.selection, resolution(variant) ?? "",
                variant.frameRate.map { $0.formatted(.number.precision(.fractionLength(0...3)).grouping(.never)) }
                    ?? "",
                bitRate(variant.bandwidth), variant.length.map { "~\(ByteCount($0))" } ?? "", variant.codecs ?? "",
            ])
        }
        return table.rendered()
    }

    private static func renditions(_ renditions: [MediaProbe.Rendition], _ title: String) -> String {
        var table = Table([.init(title), .init("NAME"), .init("")])
        for rendition in renditions {
            table.add([rendition.language ?? "?", rendition.name, rendition.isDefault ? "default" : ""])
        }
        return table.rendered()
    }

    /// Returns the size and bit rate of a variant stream: `1920x1080, 5.0 Mbit/s`.
    static func text(_ variant: MediaProbe.Variant) -> String {
        [resolution(variant), bitRate(variant.bandwidth)].compactMap(\.self).joined(separator: ", ")
    }

    private static func resolution(_ variant: MediaProbe.Variant) -> String? {
        guard let height = variant.height else { return nil }
        return variant.width.map { "\($0)x\(height)" } ?? "\(height)p"
    }

    /// Returns a bit rate in bits per second as text.
    static func bitRate(_ bits: Int) -> String {
        guard bits >= 1_000_000 else { return "\(Int((Double(bits) / 1000).rounded())) kbit/s" }
        let tenths = Int((Double(bits) / 100_000).rounded())
        return "\(tenths / 10).\(tenths % 10) Mbit/s"
    }
}
