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
  return {
    get(name) {
      const at = names.indexOf(name)
      return at < 0 ? undefined : values[at]
    },
    clear() {
      names.length = 0
      values.length = 0
    },
    add(name, value) {
      if (names.includes(name)) return false
      names.push(name)
      values.push(value)
      return true
    },
    count: () => names.length,
    change(change) {
      for (const [at, value] of values.entries()) values[at] = change(value)
    },
  }
}
