import { useMemo } from 'react'
import { useListState } from '../records/list-state.ts'
import type { Pen } from './drawing/scene.ts'
import type { PictureQuality } from './viewed-target.ts'

const usualOpacity = 0.3

/** Appearance settings of the viewer, stored in the address so that a shared link shows the same view. */
export interface ViewerSettings {
  quality: PictureQuality
  pen: Pen
  /** Ids of hidden labels. */
  hidden: ReadonlySet<number>
  setQuality: (quality: PictureQuality) => void
  /** Sets the opacity, from 0 to 1. */
  setOpacity: (opacity: number) => void
  toggleOutlines: () => void
  setHidden: (ids: Iterable<number>) => void
}

export function useViewerSettings(): ViewerSettings {
  const { get, set } = useListState()
  const [opacity, outlines, hide] = [get('opacity'), get('outlines'), get('hide')]
  const pen = useMemo(
    () => ({ opacity: opacityOf(opacity), isOutlined: outlines !== 'off' }),
    [opacity, outlines],
  )
  const hidden = useMemo(() => idsOf(hide), [hide])
  return {
    quality: get('quality') === 'original' ? 'original' : 'compressed',
    pen,
    hidden,
    setQuality: (quality) => set({ quality: quality === 'original' ? quality : undefined }),
    setOpacity: (value) => set({ opacity: String(Math.round(value * 100)) }),
    toggleOutlines: () => set({ outlines: pen.isOutlined ? 'off' : undefined }),
    setHidden: (ids) => set({ hide: [...ids].join(',') }),
  }
}

/** Parses a percentage. */
export function opacityOf(text: string | undefined): number {
  const percent = Number(text ?? Number.NaN)
  return percent >= 0 && percent <= 100 ? percent / 100 : usualOpacity
}

export const idsOf = (text = ''): ReadonlySet<number> =>
  new Set(text.split(',').filter(Boolean).map(Number).filter(Number.isSafeInteger))
