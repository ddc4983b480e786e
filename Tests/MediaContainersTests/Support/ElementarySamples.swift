import Foundation

/// Short elementary streams of codecs that the corpora's transport streams lack, encoded by FFmpeg from its test
/// sources.
enum ElementarySamples {
    /// H.262: five pictures of 32 × 16 pixels, including two B pictures.
    static let mpeg2Video = decode(
        "AAABswIAEBP//+AYAAABtRSKAAEAAAAAAbgACABAAAABAAAP//gAAAG1j//zQYAAAAEB+/nCtn96nlBnMI9zOB7iVjnu4B9zDnDr"
            + "yQwolHciHXs5IQJa/nyk69Ckoo3EeowCXn7sHtlta0ge52WHKVe9ituAsuV17mwAAAEAAJf/+4AAAAG1gR/zQYAAAAEB+oWBCABx"
            + "AHJxHDoAG4BzUTAg8AbwAOwOHQAOgGsAAAABAABf//u4AAABtYERE0GAAAABAft9YAAAAbMCABAT///gGAAAAbUUigABAAAAAAG4"
            + "AAgBgAAAAQAAT//4AAABtY//80GAAAABAfv5wrZ/ep5QZzCPczge4lY57uAfcw5w68kMKJR3Ih17OSECWv58pOvQpKKNxHqMAl5+"
            + "7B7ZbWtIHudlhylXvYrbgLLlde5sAAABAAAf//u4AAABtYERE0GAAAABAft8sA==")

    /// AAC in LATM: four frames at 8 kHz.
    static let latm = decode(
        "VuD2IAAViB/nfvAQAmMLsxmpyXGZuXGJgYAAEcUqlpo3dZ+0fb4kq7lokSJEiSQbVtO1bTtW07VxnauM7VtM9O2KdsVh2radq4zt"
            + "XGcqynKtpyrabFicdicqykIEIEIEIkoyUZVGVSmStKa65XV3bmBuxSgSgYGBgYGNm5ZZZZZZTcsssssspuWWWWWWWWWWWWWWWWWW"
            + "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW"
            + "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWXgVuDj8ICATmyeiqJdDKJdi7JfPt8//xf+f69cca1cj/p+n/4f+f488eb1LrP+n5/9P/n6"
            + "644vqtSf+n5/9P/v9da440uky6MUeBl0Yk45dGKPDTM2GK5pplzLmeaaZLNGyy/IfrwXYIHCUYTrOdFVRjGoNHRRHQboHUKDdBuq"
            + "eiisKVs2Rb2zZsI76RcI2iXF9k9hHZs2RX5EjgrLmWc7Eeec5zqUqNSlTzzzzzqnVOqdU8886hOpSp555551G+jfRRS/OpetKHY5"
            + "8bXYN8TuH4Kc6oebmnVPPzT83yVORIQdHy2KHABW4OTxAIdO2F6Ksl6Jsl9RL5z+f/w/8/x511fEk1/6e//8X/n+vXHWtS39//jx"
            + "7/Xtq+Lu5d/33Wuta1dyWhl0YI85d9HPI+Xy+WzZlOd9ppZEUMMXNxi5hxERfIfKLjFzK4kSPl8vl8vlx2Hinq4oiLfU9GrE06V0"
            + "KFVhep3T4Nxb1lZP48USEIkWtZEUUUUUUUUURRFFFFFEWWKKKJEUUUUUT8RAhESCqOo9UVUUQRCFT0arXAqQNpjrSs2k2k2mO6O6"
            + "O6O6O6O7ft37d+/aE05zbnM+R3I7kdyOvuvuvuv7su7Lu4BW4AeCgIxA2jgA")

    /// Enhanced AC-3: four frames at 32 kbit/s.
    static let enhancedAC3 = decode(
        "C3cAPzKHwAAhA8gA471Xrw3waefvis/X4bPx8SA13d5hndtc+tEKzfH2J5jtstccKKsjqrr5EyEyEqMqIBRknj+RH8J0+fPobV7X"
            + "dansN893v0oIyOF0HqQGzIQ2hG2vRL2QyHZOTNHsyFNLH2fovv1RAVZCWMqxmMOfDGQAr/4LdwA/MofAAAAGGAEmieP5IkKXz50m"
            + "hPnsN9nSpdb6lTUhBvCEAbizRWBzBUGiUTyOyMJ7HFsbqwpl+audctQ1PYLWQtT9LhJrykNoM4hE/0EM76QSMAWhYBScLGNzK13Q"
            + "lFXaFr/9K3bMto47RnksqO+KFVz3U7wOzgAAAAC21wt3AD8yh8AAAAYYASaJ4/lim/Ivnz6Ghe1rb56/pPdiZKEPCbQiRIVHk7jF"
            + "bvpvuQzwjbP0QncvO+nwcTk2yD0M3/TeiF9Alx/yVPpDcD7FcPOSjBB41+E/bo+tQxIZTFoL2sDLRXtNXe48gFc1wW+hJBkl1gIV"
            + "QNDaAAAAAPczC3cAPzKHwAAxhAgAxP5chv3wAkCA4H5wQ0G+QEgQL+/fgAMGIHvJyViWwYpLkEZADk7sOG/fDCldf6T3RsYMTBSu"
            + "f7+tJjEDK0PfhtRmsj3OKKK2S0golj04om6tvQrPB+Tc5n4B/zq+fPnz58+fPnz58+fPnz58+fPnwAAAtIU=")

    /// MPEG-2 audio layer II at 16 kHz.
    static let mp2 = decode(
        "//UYxEIRBAAAAAAAAAWCduZiSq9+7mWq2Pmta3r5rWxg5yuC2fHNaoIJK9IjV026I4wtaiIGrcgB0i9oArAqaAJmrMlF6iOI//UY"
            + "xEIRBAAAAAAAAAUGScBimq82blYEjgN0ALLKtC37KmIpCE2stlDLWrZjI1sCgUkaqz5LmKs+bBS2Pmtatj5rWrY+a1oA")

    /// HEVC: five pictures of 32 × 32 pixels.
    static let hevc = decode(
        "AAAAAUABDAH//wFgAAADAJAAAAMAAAMAHpEwJAAAAAFCAQEBYAAAAwCQAAADAAADAB6gQghZZE7kyvAWgIAAAAMAgAAADIQAAAAB"
            + "RAHBc9CJAAABKAGvHYC6FP0wYLNgEZ/Z9KF2h2YhQAPvBqJW9lDfQGZvdQt4M1JBW8AZeDwPhBpd3pVdLroBP1EnCTYrr4MoOoJC"
            + "nvHCJHLi4Yn/gZ383nQUmLzgm4NvtInRSNImGUsr5cVz5P8NPYGWOJ6/sla9/XvwiVyLQCW1JR+at2gaA/a2BUAF32/I7TAIhvdN"
            + "//5h63f3hV6zBDJWcUzh+4KB83jeoYG5swrX8VB++olRiQDt7IkIeQtDBbtqbFbclIn/cGp5lNcqRszxD/dADzWV2zLccNRIDQZT"
            + "Au/EfTWq8dO+24BjzBYNMPDC5DoNJ4PPsYGAwyYgZzXmVVOgEJo+VAbtPr+2I5MsanlGWql4Rk1Fx5qnJASNR/MSFJVq1sEPMCQ6"
            + "ZNB1Dmpig4JOq+gjLaLC4YjQ9S4+UOcwgQECrtXQ8mM9mlUbAvmqqmB5CQ4AAAABAgHQEVeEMY5AF96YUBAAAAABAAHgJL+GFMDI"
            + "IAAAAAECAdAh1X1EMGOwk+eCAAAAAQAB4Ga1/UYUQMgg")

    private static func decode(_ text: String) -> [UInt8] { [UInt8](Data(base64Encoded: text) ?? Data()) }
}
