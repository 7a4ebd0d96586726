import { type ReactNode, useId } from 'react'
import { useTypedFilter } from './typed-filter.ts'

interface Props {
  /** Of the filter, in the address and for the service. */
  name: string
  label: string
  /** What is offered for what has been typed so far: options of a `datalist`. */
  offers?: (typed: string) => ReactNode
}

/** A word that a field has exactly, or any. */
export function Equals({ name, label, offers }: Props) {
  const { text, type } = useTypedFilter(name)
  const id = useId()
  return (
    <>
      <input
        aria-label={label}
        placeholder={`${label}: any`}
        list={offers && id}
        value={text}
        onChange={({ target }) => type(target.value)}
      />
      {offers && <datalist id={id}>{offers(text)}</datalist>}
    </>
  )
}
