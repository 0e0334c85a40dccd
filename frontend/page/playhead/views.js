// How a cell is drawn against another one. Each paints into a canvas of the cell's own size.

const LIFT = 3; // differences are drawn so many times brighter

/** By view: ({ split, phase }, context, width, height, own, other). */
export const PAINTERS = {
  slider({ split }, context, width, height, own, other) {
    context.drawImage(own, 0, 0, width, height);
    const at = Math.round(width * split);
    context.save();
    context.beginPath();
    context.rect(0, 0, at, height);
    context.clip();
    context.drawImage(other, 0, 0, width, height);
    context.restore();
    context.fillStyle = "#fff";
    context.fillRect(at - 1, 0, 2, height);
  },

  difference(_, context, width, height, own, other) {
    context.drawImage(other, 0, 0, width, height);
    context.globalCompositeOperation = "difference";
    context.drawImage(own, 0, 0, width, height);
    // What is left is added to itself.
    context.globalCompositeOperation = "lighter";
    for (let times = 1; times < LIFT; times *= 2) context.drawImage(context.canvas, 0, 0);
    context.globalCompositeOperation = "source-over";
  },

  flicker({ phase }, context, width, height, own, other) {
    context.drawImage(phase ? other : own, 0, 0, width, height);
  },
};
