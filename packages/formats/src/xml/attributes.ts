/** The attributes of one element. One list serves a whole document, so that elements cost no objects. */
export interface XmlAttributes {
  /** The value, or undefined when the element has no such attribute. */
  get(name: string): string | undefined
}

export interface AttributeList extends XmlAttributes {
  clear(): void
  /** False when there is one of that name. */
  add(name: string, value: string): boolean
  count(): number
  /** Puts what `change` makes of them in the place of all values. */
  change(change: (value: string) => string): void
}

export function attributeList(): AttributeList {
  const names: string[] = []
  const values: string[] = []
  let count = 0 // the lists stay as long as they ever were: they are filled again with every element
  const find = (name: string): number => {
    for (let at = 0; at < count; at += 1) if (names[at] === name) return at
    return -1
  }
  return {
    get(name) {
      const at = find(name)
      return at < 0 ? undefined : values[at]
    },
    clear() {
      count = 0
    },
    add(name, value) {
      if (find(name) >= 0) return false
      names[count] = name
      values[count] = value
      count += 1
      return true
    },
    count: () => count,
    change(change) {
      for (let at = 0; at < count; at += 1) values[at] = change(values[at] ?? '')
    },
  }
}
