import { type ReactNode, useEffect, useId, useState } from 'react'
import { useListState } from './state.ts'

const pauseMs = 400

interface Props {
  /** Of the filter, in the address and for the service. */
  name: string
  label: string
  /** What is offered for what has been typed so far: options of a `datalist`. */
  offers?: (typed: string) => ReactNode
}

/** A word that a field has exactly, or any. */
export function Equals({ name, label, offers }: Props) {
  const { get, set } = useListState()
  const id = useId()
  const [text, setText] = useState(get(name) ?? '')
  useEffect(() => {
    if (text === (get(name) ?? '')) return
    const later = setTimeout(() => set({ [name]: text }), pauseMs)
    return () => clearTimeout(later)
  })
  return (
    <>
      <input
        className="equals"
        aria-label={label}
        placeholder={`${label}: any`}
        list={offers && id}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {offers && <datalist id={id}>{offers(text)}</datalist>}
    </>
  )
}
