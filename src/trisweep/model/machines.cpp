// The table of machines: a row for each file of machines/.

#include <array>

#include "trisweep/model/machine.hpp"

namespace trisweep::model {

using MachineFunction = Machine();
MachineFunction cori_haswell;
MachineFunction cori_knl;
MachineFunction perlmutter_cpu;
MachineFunction perlmutter_gpu;
MachineFunction crusher;
MachineFunction dgx_1;
MachineFunction dgx_2;
MachineFunction tsubame3;
MachineFunction reedbush_h;
MachineFunction generic;

std::span<const Machine> machines() {
  static const std::array table{
      cori_haswell(),    //
      cori_knl(),        //
      perlmutter_cpu(),  //
      perlmutter_gpu(),  //
      crusher(),         //
      dgx_1(),           //
      dgx_2(),           //
      tsubame3(),        //
      reedbush_h(),      //
      generic(),
  };
  return table;
}

}  // namespace trisweep::model
