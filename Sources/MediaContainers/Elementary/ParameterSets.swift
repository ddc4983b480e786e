/// Parameter sets of one type by their id, in the order in which the ids first came.
struct ParameterSets {
    /// A longer set is damage: what is kept of a stream must stay small.
    static let longest = 4096

    private var ids: [Int] = []
    private(set) var units: [[UInt8]] = []

    var isEmpty: Bool { units.isEmpty }

    /// Keeps a set in the place of the last one of its id.
    ///
    /// - Returns: Whether it differs from that one.
    mutating func update(_ unit: UnsafeRawBufferPointer, id: Int) -> Bool {
        guard let place = ids.firstIndex(of: id) else {
            ids.append(id)
            units.append(Array(unit))
            return true
        }
        guard !isEqual(units[place], unit) else { return false }
        units[place] = Array(unit)
        return true
    }

    /// Whether the set of an id is this one.
    func contains(_ unit: UnsafeRawBufferPointer, id: Int) -> Bool {
        guard let place = ids.firstIndex(of: id) else { return false }
        return isEqual(units[place], unit)
    }

    mutating func removeAll() {
        ids.removeAll()
        units.removeAll()
    }

    private func isEqual(_ kept: [UInt8], _ unit: UnsafeRawBufferPointer) -> Bool {
        kept.count == unit.count && kept.withUnsafeBytes { $0.elementsEqual(unit) }
    }
}
