/** Finds the members of an archive that a file of annotations names (spec/formats.md 4.1 and 4.2). */

export interface MemberFinder {
  /**
   * The member that one of these paths means: below one of the folders, the likeliest first, else the only one of the archive that
   * ends with the path, where that is not in a folder called as one of the others.
   */
  find(
    paths: readonly string[],
    folders: readonly string[],
    others: readonly string[],
  ): string | undefined
}

export function memberFinder(names: Iterable<string>): MemberFinder {
  const all = new Set<string>()
  const byBase = new Map<string, string[]>()
  for (const name of names) {
    all.add(name)
    const others = byBase.get(baseOf(name))
    if (others) others.push(name)
    else byBase.set(baseOf(name), [name])
  }
  return {
    find(paths, folders, others) {
      for (const folder of folders)
        for (const path of paths) if (all.has(`${folder}${path}`)) return `${folder}${path}`
      for (const path of paths) {
        const ending = (byBase.get(baseOf(path)) ?? []).filter(
          (name) =>
            name.endsWith(`/${path}`) && !others.some((one) => `/${name}`.includes(`/${one}/`)),
        )
        if (ending.length === 1) return ending[0]
      }
      return undefined
    },
  }
}

const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
