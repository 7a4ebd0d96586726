import { useLayoutEffect, useState } from 'react'
import { columnsOf } from './grid.ts'

/** Returns the number of columns that fit into the element, updated with its width. */
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
