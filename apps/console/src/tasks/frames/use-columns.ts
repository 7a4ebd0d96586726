import { useLayoutEffect, useState } from 'react'
import { columnsOf } from './grid.ts'

/** How many columns the element has room for, as its width changes. */
export function useColumns(element: HTMLElement | null): number {
  const [columns, setColumns] = useState(() => columnsOf(window.innerWidth))
  useLayoutEffect(() => {
    if (!element) return
    const watch = new ResizeObserver(() => setColumns(columnsOf(element.clientWidth)))
    watch.observe(element)
    return () => watch.disconnect()
  }, [element])
  return columns
}
