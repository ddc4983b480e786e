import HLS
import MediaCache
import TestSupport

@testable import MediaLibrary

enum TimelineRows {
    static let second: Int64 = 1_000_000_000
    /// 2026-01-31T20:00:00Z.
    static let epoch: Int64 = 1_769_889_600 * second

    /// Returns a cached segment of two seconds, whose start is determined by its number.
    static func stored(_ number: Int64, from epoch: Int64 = epoch, length: Int64 = 1000) -> RecordedSegment {
        var row = RecordedSegment(
            number: number, start: epoch + number * 2 * second, duration: 2 * second, targetDuration: 2, state: .stored)
        row.length = length
        row.originSequence = Int(number)
        row.url = "http://origin.example/live/segment-\(number).ts"
        return row
    }

    /// Returns cached segments of two seconds, after changing them.
    static func stored(
        _ numbers: Range<Int64>, _ change: (inout RecordedSegment) -> Void = { _ in }
    ) -> [RecordedSegment] {
        numbers.map { number in
            var row = stored(number)
            change(&row)
            return row
        }
    }

    static func awaited(_ numbers: Range<Int64>) -> [RecordedSegment] {
        stored(numbers) { row in
            row.state = .awaited
            row.length = 0
        }
    }

    /// Returns conditions with a key and a media initialization section of the given numbers.
    static func conditions(key: Int64? = nil, map: Int64? = nil, vector: HexadecimalSequence? = nil)
        -> RecordedConditions
    {
        var conditions = RecordedConditions()
        if let key {
            conditions.keys = [EncryptionKey(method: .aes128, uri: "key-\(key).key.ts", iv: vector)]
            conditions.companions.append(
                .init(
                    number: key, role: .key, url: "http://origin.example/key?\(key)", range: nil,
                    name: "key-\(key).key.ts"))
        }
        if let map {
            conditions.map = MediaInitializationSection(uri: "init-\(map).mp4")
            conditions.companions.append(
                .init(
                    number: map, role: .initializationSection, url: "http://origin.example/init-\(map).mp4", range: nil,
                    name: "init-\(map).mp4"))
        }
        return conditions
    }

    /// Returns rows of a varied stream, with gaps, discontinuities, time jumps, keys, sections and target durations.
    static func random(
        _ count: Int, from first: Int64 = 0, start: Int64 = epoch, _ random: inout SeededGenerator
    ) -> [RecordedSegment] {
        var time = start
        var conditions = RecordedConditions()
        return (0..<Int64(count)).map { index in
            var row = self.random(first + index, time, &random)
            if Int.random(in: 0..<40, using: &random) == 0 { conditions = self.conditions(of: &random) }
            if row.state != .gap { row.conditions = conditions }
            time = row.end
            return row
        }
    }

    private static let texts = [
        "", "a", "http://höst.example/ü%20é", "日本語.ts", "a,b=\"c\"", "🏂", String(repeating: "x", count: 300),
    ]

    private static func random(
        _ number: Int64, _ time: Int64, _ random: inout SeededGenerator
    ) -> RecordedSegment {
        var row = RecordedSegment(
            number: number, start: time, duration: Int64.random(in: 1...4_000_000_000, using: &random),
            targetDuration: 4, state: .stored)
        switch Int.random(in: 0..<100, using: &random) {
        case 0: row.start += Int64.random(in: 0...10_000 * second, using: &random)
        case 1...10:
            row.state = .gap
            row.url = Bool.random(using: &random) ? "" : "http://origin.example/\(number).ts"
            return row
        case 11...20: row.isDiscontinuous = true
        case 21: row.targetDuration = Int.random(in: 4...10, using: &random)
        case 22: row.isWrapped = true
        case 23...30:
            row.range = Int64.random(in: 0...1000, using: &random)..<Int64.random(in: 1000...1 << 40, using: &random)
        case 31: row.tags = ["#EXT-X-CUE-OUT:30", "#EXT-X-ASSET:" + (texts.randomElement(using: &random) ?? "")]
        case 32: row.fileExtension = texts.randomElement(using: &random) ?? ""
        case 33...50:
            row.arrival = row.end / 1_000_000 * 1_000_000 + Int64.random(in: -9...90_000, using: &random) * 1_000_000
        case 51: row.isIndependent = true
        case 61...70: row.originDiscontinuity = Int64.random(in: 0...99, using: &random)
        case 52...60: row.clockLag = Int64.random(in: -9...90_000, using: &random) * 1_000_000
        default: break
        }
        row.length = Int64.random(in: 0...1 << 40, using: &random)
        row.originSequence =
            Int.random(in: 0..<20, using: &random) == 0 ? Int.random(in: -5...1 << 50, using: &random) : Int(number)
        row.url = "http://origin.example/\(texts.randomElement(using: &random) ?? "")\(number)é.ts"
        return row
    }

    private static func conditions(of random: inout SeededGenerator) -> RecordedConditions {
        var conditions = conditions(
            key: Bool.random(using: &random) ? Int64.random(in: 1...9, using: &random) : nil,
            map: Bool.random(using: &random) ? Int64.random(in: 10...19, using: &random) : nil,
            vector: Bool.random(using: &random) ? HexadecimalSequence(bytes: Array(0..<16)) : nil)
        if Bool.random(using: &random), !conditions.companions.isEmpty { conditions.companions[0].range = 7..<1 << 33 }
        if let map = conditions.map, Bool.random(using: &random) {
            var map = map
            map.keys = conditions.keys
            map.attributes["X-OTHER"] = .quoted(texts.randomElement(using: &random) ?? "")
            conditions.map = map
        }
        return conditions
    }
}
