/** Renders a placeholder for the rows outside the visible area. */
export function Space({ height }: { height: number }) {
  return height > 0 && <tr style={{ height }} />
}
