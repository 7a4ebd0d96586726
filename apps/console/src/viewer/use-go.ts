import { useLocation, useSearch } from 'wouter'
import { frameWithin, type Span, type ViewedTarget } from './viewed-target.ts'

/** Returns a function that opens a frame, or the nearest existing one, with the same settings. */
export function useGo({ kind, id }: ViewedTarget, span: Span): (frame: number) => void {
  const [, navigate] = useLocation()
  const search = useSearch()
  return (frame) => {
    const path = `/${kind}/${id}/frames/${frameWithin(span, frame)}`
    navigate(search ? `${path}?${search}` : path, { replace: true })
  }
}
