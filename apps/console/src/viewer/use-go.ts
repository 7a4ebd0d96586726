import { useLocation, useSearch } from 'wouter'
import { frameWithin, type Place, type Span } from './place.ts'

/** Goes to a frame, or to the nearest there is; how frames are looked at stays as it is. */
export function useGo({ kind, id }: Place, span: Span): (frame: number) => void {
  const [, navigate] = useLocation()
  const search = useSearch()
  return (frame) => {
    const path = `/${kind}/${id}/frames/${frameWithin(span, frame)}`
    navigate(search ? `${path}?${search}` : path, { replace: true })
  }
}
