/** Longer names of programs are read up to here. */
const longest = 200

/** The version that the mount speaks, of clients that name none. */
const usual = { major: 2, minor: 58 }

/** Is the SDK that `User-Agent` names (`cvat_sdk/2.80.0`) of this version or newer? Shapes of some answers changed after 2.58. */
export function isAtLeast(userAgent: string, major: number, minor: number): boolean {
  const named = /cvat_sdk\/(\d{1,4})\.(\d{1,4})/.exec(userAgent.slice(0, longest))
  const version = named ? { major: Number(named[1]), minor: Number(named[2]) } : usual
  return version.major > major || (version.major === major && version.minor >= minor)
}
