import { useEffect, useState } from 'react'
import { useListState } from './state.ts'

const pauseMs = 300

/** A filter that is typed: it comes into the address after a moment, and follows the address otherwise. */
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
