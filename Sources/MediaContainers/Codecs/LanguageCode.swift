/// Conversions between BCP 47 tags and the language codes of MP4, which are ISO 639-2/T (ISO/IEC 14496-12, 8.4.2).
enum LanguageCode {
    /// The maximum length of an accepted tag in bytes. Tags in use are shorter (RFC 5646, 4.4.1).
    private static let maximumTagLength = 64

    /// Returns the ISO 639-2/T code of a BCP 47 tag, or `und` if there is none. Other primary subtags of three letters,
    /// as in ISO 639-3, are returned unchanged.
    static func threeLetters(_ tag: String?) -> String {
        let primary = String((tag ?? "").lowercased().prefix { $0 != "-" && $0 != "_" })
        guard primary.utf8.allSatisfy({ (0x61...0x7A).contains($0) }) else { return "und" }
        return switch primary.utf8.count {
        case 2: known[primary] ?? "und"
        case 3: terminological[primary] ?? primary
        default: "und"
        }
    }

    /// Returns the text as a BCP 47 tag, or nil if it's invalid or `und`.
    static func tag(_ text: String?) -> String? {
        guard let text, !text.isEmpty, text.utf8.count <= maximumTagLength else { return nil }
        let tag = text.replacing("_", with: "-")
        let isTag = tag.utf8.allSatisfy { byte in
            byte == 0x2D || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
        }
        return isTag && tag.lowercased() != "und" ? tag : nil
    }

    /// Returns the tag if a three-letter code can't express it, such as `pt-BR`; otherwise nil.
    static func extended(_ text: String?) -> String? {
        guard let tag = tag(text) else { return nil }
        return tag.contains("-") || threeLetters(tag) == "und" ? tag : nil
    }

    private static let known = pairs(of: table, keyLength: 2)
    private static let terminological = pairs(of: bibliographic, keyLength: 3)

    private static func pairs(of table: String, keyLength: Int) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: table.split(whereSeparator: \.isWhitespace).map { word in
                (String(word.prefix(keyLength)), String(word.dropFirst(keyLength)))
            })
    }

    /// ISO 639-1 codes, each followed by its ISO 639-2/T code. The last line contains withdrawn codes that are still in
    /// use.
    private static let table = """
        aaaar ababk aeave afafr akaka amamh anarg arara asasm avava ayaym azaze babak bebel bgbul bhbih bibis bmbam
        bnben bobod brbre bsbos cacat ceche chcha cocos crcre csces cuchu cvchv cycym dadan dedeu dvdiv dzdzo eeewe
        elell eneng eoepo esspa etest eueus fafas ffful fifin fjfij fofao frfra fyfry gagle gdgla glglg gngrn guguj
        gvglv hahau heheb hihin hohmo hrhrv hthat huhun hyhye hzher iaina idind ieile igibo iiiii ikipk ioido isisl
        itita iuiku jajpn jvjav kakat kgkon kikik kjkua kkkaz klkal kmkhm knkan kokor krkau kskas kukur kvkom kwcor
        kykir lalat lbltz lglug lilim lnlin lolao ltlit lulub lvlav mgmlg mhmah mimri mkmkd mlmal mnmon mrmar msmsa
        mtmlt mymya nanau nbnob ndnde nenep ngndo nlnld nnnno nonor nrnbl nvnav nynya ococi ojoji omorm orori ososs
        papan pipli plpol pspus ptpor quque rmroh rnrun roron rurus rwkin sasan scsrd sdsnd sesme sgsag sisin skslk
        slslv smsmo snsna sosom sqsqi srsrp ssssw stsot susun svswe swswa tatam tetel tgtgk ththa titir tktuk tltgl
        tntsn toton trtur tstso tttat twtwi tytah uguig ukukr ururd uzuzb veven vivie vovol wawln wowol xhxho yiyid
        yoyor zazha zhzho zuzul
        inind iwheb jiyid jwjav moron
        """

    /// ISO 639-2/B codes, each followed by its ISO 639-2/T code, for languages in which the two differ.
    private static let bibliographic = """
        albsqi armhye baqeus burmya chizho czeces dutnld frefra geokat gerdeu greell iceisl macmkd maomri maymsa
        perfas rumron sloslk tibbod welcym
        """

    /// Returns the ISO 639-2/T code of a QuickTime language number (QuickTime File Format, "Language Code Values"), or
    /// nil if the number is unassigned.
    static func ofMacintosh(_ number: UInt16) -> String? {
        if Int(number) < macintosh.count { return String(macintosh[Int(number)]) }
        let later = Int(number) - 128
        return macintoshLater.indices.contains(later) ? String(macintoshLater[later]) : nil
    }

    /// The codes for language numbers from 0.
    private static let macintosh = """
        eng fra deu ita nld swe spa dan por nor heb jpn ara fin ell isl mlt tur hrv zho urd hin tha kor lit pol hun
        est lav sme fao fas rus zho nld gle sqi ron ces slk slv yid srp mkd bul ukr bel uzb kaz aze aze hye kat ron
        kir tgk tuk mon mon pus kur kas snd bod nep san mar ben asm guj pan ori mal kan tam tel sin mya khm lao vie
        ind tgl msa msa amh tir orm som swa kin run nya mlg epo
        """.split(whereSeparator: \.isWhitespace)

    /// The codes for language numbers from 128.
    private static let macintoshLater = "cym eus cat lat que grn aym tat uig dzo jav".split(separator: " ")
}
