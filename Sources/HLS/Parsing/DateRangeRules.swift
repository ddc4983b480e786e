/// What date ranges have to be beyond their attributes' types (RFC 8216bis, section 4.4.5.1 and appendix D).
enum DateRangeRules {
    static func check(_ range: DateRange, _ reader: inout TagReader) throws(PlaylistError) {
        if range.endsOnNext {
            if range.rangeClass == nil {
                try reader.report(.error, .dateRange, "end-on-next", "END-ON-NEXT needs a CLASS.")
            }
            if range.duration != nil || range.endDate != nil {
                try reader.report(.error, .dateRange, "end-on-next", "END-ON-NEXT stands with DURATION or END-DATE.")
            }
        }
        if let start = range.startDate?.nanosecondsSinceEpoch, let end = range.endDate?.nanosecondsSinceEpoch,
            end < start
        {
            try reader.report(.error, .dateRange, "end", "The date range ends before it begins.")
        }
        guard let interstitial = range.interstitial else { return }
        try reader.check(interstitial.attributes, of: .dateRange, Interstitial.rules)
        if (interstitial.assetURI == nil) == (interstitial.assetListURI == nil) {
            try reader.report(.error, "D.2", "asset", "An interstitial has either X-ASSET-URI or X-ASSET-LIST.")
        }
    }
}
