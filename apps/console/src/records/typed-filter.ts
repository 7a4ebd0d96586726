import { useEffect, useState } from 'react'
import { useListState } from './state.ts'

const pauseMs = 300

/** Returns a filter that is typed: it updates the address after a short delay, and follows changes of the address. */
export function useTypedFilter(name: string) {
  const { get, set } = useListState()
  const [typed, setTyped] = useState<string>()
  useEffect(() => {
    if (typed === undefined) return
    const later = setTimeout(() => {
      set({ [name]: typed })
      setTyped(undefined)
    }, pauseMs)
    return () => clearTimeout(later)
  })
  return { text: typed ?? get(name) ?? '', type: setTyped }
}
