import type { AnnotationSet, Label } from '@reticle/sdk'
import { useMemo, useState } from 'react'
import type { FrameObject } from './frame/item.ts'
import { itemsOf } from './frame/items.ts'
import { namesOf } from './frame/names.ts'

/** Returns the objects of a frame, the visible ones and the selected one. */
export function useObjects(
  set: AnnotationSet | undefined,
  labels: readonly Label[] | undefined,
  frame: number,
  hidden: ReadonlySet<number>,
) {
  const [key, setKey] = useState<string>()
  const all = useMemo(
    () => (set && labels ? itemsOf(set, frame, namesOf(labels)) : []),
    [set, labels, frame],
  )
  const shown = useMemo(() => all.filter(({ label_id }) => !hidden.has(label_id)), [all, hidden])
  const listed = useMemo(() => shown.toSorted(byLabel), [shown])
  const selected = listed.find((item) => item.key === key)
  return {
    all,
    /** Visible objects in drawing order. */
    shown,
    /** Visible objects in list order. */
    listed,
    selected,
    select: (item: FrameObject | undefined) => setKey(item?.key),
    /** Selects the object at an offset from the selected one, cyclically. */
    step(by: number) {
      const at = selected ? listed.indexOf(selected) + by : Math.min(by, 0)
      setKey(listed.at(at % Math.max(1, listed.length))?.key)
    },
  }
}

const byLabel = (one: FrameObject, other: FrameObject) =>
  one.label.localeCompare(other.label) || (one.id ?? 0) - (other.id ?? 0)
