import { type ReactNode, useId } from 'react'
import { useTypedFilter } from './typed-filter.ts'

interface Props {
  /** Name of the filter, in the address and the API. */
  name: string
  label: string
  /** Returns suggestions for the typed text: options of a `datalist`. */
  offers?: (typed: string) => ReactNode
}

/** Renders a filter by the exact value of a field. */
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
